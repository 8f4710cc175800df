// Package profiles stores the settings of users.
package profiles

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

var (
	ErrNotFound = errors.New("profiles: not found")
	ErrConflict = errors.New("profiles: changed by somebody else")
)

// Profile is the settings of a user.
type Profile struct {
	User     string
	Settings map[string]string
	Version  int64
}

func (p Profile) clone() Profile {
	p.Settings = maps.Clone(p.Settings)
	return p
}

// Store keeps profiles.
type Store interface {
	Find(user string) (Profile, error)
	Replace(p Profile) error
}

// Memory is a Store in memory.
type Memory struct {
	mu     sync.RWMutex
	byUser map[string]Profile
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{byUser: make(map[string]Profile)}
}

// Create adds an empty profile.
func (m *Memory) Create(user string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.byUser[user]; ok {
		return fmt.Errorf("%w: %s", ErrConflict, user)
	}
	m.byUser[user] = Profile{User: user, Settings: map[string]string{}, Version: 1}
	return nil
}

// Find implements Store.
func (m *Memory) Find(user string) (Profile, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	p, ok := m.byUser[user]
	if !ok {
		return Profile{}, fmt.Errorf("%w: %s", ErrNotFound, user)
	}
	return p.clone(), nil
}

// Replace implements Store.
func (m *Memory) Replace(p Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	have, ok := m.byUser[p.User]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNotFound, p.User)
	}
	if have.Version != p.Version {
		return ErrConflict
	}
	p = p.clone()
	p.Version++
	m.byUser[p.User] = p
	return nil
}

// Service edits profiles.
type Service struct {
	store   Store
	retries int
}

// NewService returns a service over a store.
func NewService(s Store) *Service { return &Service{store: s, retries: 20} }

// Edit applies a change to the profile of a user.
func (s *Service) Edit(user string, change func(map[string]string) error) error {
	for range s.retries {
		p, err := s.store.Find(user)
		if err != nil {
			return err
		}
		if err := change(p.Settings); err != nil {
			return fmt.Errorf("profiles: edit %s: %w", user, err)
		}
		err = s.store.Replace(p)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("profiles: edit %s: %w", user, ErrConflict)
}

// Set sets one setting.
func (s *Service) Set(user, key, value string) error {
	return s.Edit(user, func(settings map[string]string) error {
		if key == "" {
			return errors.New("empty key")
		}
		settings[key] = value
		return nil
	})
}
