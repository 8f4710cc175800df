// Correct: Edit and Rollback read the settings in one critical section and install
// in another, with a slow validation and a write to disk in between. But the
// two hold the token (a channel of capacity one, used as a lock that a context
// can give up on) from before the read until after the install, and nothing
// else writes. mu only lets readers through while an edit is under way.
package settingstoken

import (
	"context"
	"errors"
	"maps"
	"sync"
)

var ErrNothing = errors.New("nothing to roll back to")

type Settings struct {
	Revision int
	Values   map[string]string
}

// Disk keeps settings over restarts.
type Disk interface {
	Write(ctx context.Context, s Settings) error
}

// Manager keeps the settings of a server.
type Manager struct {
	disk  Disk
	check func(ctx context.Context, s Settings) error
	token chan struct{}

	mu      sync.RWMutex
	current Settings
	history []Settings
}

func New(disk Disk, check func(context.Context, Settings) error, initial map[string]string) *Manager {
	return &Manager{
		disk:    disk,
		check:   check,
		token:   make(chan struct{}, 1),
		current: Settings{Revision: 1, Values: maps.Clone(initial)},
	}
}

func (m *Manager) take(ctx context.Context) error {
	select {
	case m.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Manager) give() { <-m.token }

// Current returns the settings in force. The caller must not change them.
func (m *Manager) Current() Settings {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.current
}

func (m *Manager) previous() (Settings, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.history) == 0 {
		return Settings{}, false
	}
	return m.history[len(m.history)-1], true
}

// Edit changes values; an empty value removes the key.
func (m *Manager) Edit(ctx context.Context, changes map[string]string) (int, error) {
	if err := m.take(ctx); err != nil {
		return 0, err
	}
	defer m.give()
	cur := m.Current()
	next := Settings{Revision: cur.Revision + 1, Values: make(map[string]string)}
	maps.Copy(next.Values, cur.Values)
	for k, v := range changes {
		if v == "" {
			delete(next.Values, k)
			continue
		}
		next.Values[k] = v
	}
	if err := m.check(ctx, next); err != nil {
		return 0, err
	}
	if err := m.disk.Write(ctx, next); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history = append(m.history, cur)
	m.current = next
	return next.Revision, nil
}

// Rollback goes back to the values before the last edit.
func (m *Manager) Rollback(ctx context.Context) (int, error) {
	if err := m.take(ctx); err != nil {
		return 0, err
	}
	defer m.give()
	prev, ok := m.previous()
	if !ok {
		return 0, ErrNothing
	}
	prev.Revision = m.Current().Revision + 1
	if err := m.disk.Write(ctx, prev); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history = m.history[:len(m.history)-1]
	m.current = prev
	return prev.Revision, nil
}
