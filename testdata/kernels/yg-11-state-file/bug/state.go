// Package localstate remembers the services that were registered with this
// agent, across restarts of the agent.
package localstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Service is a registration made through the agent's local API.
type Service struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Port    int           `json:"port"`
	TTL     time.Duration `json:"ttl,omitempty"`
	Expires time.Time     `json:"expires,omitzero"`
}

// State is safe for concurrent use.
type State struct {
	path string

	mu       sync.RWMutex
	services map[string]Service
}

// Open loads the state from path, which need not exist yet, and drops
// services whose ttl has run out until ctx ends.
func Open(ctx context.Context, path string) (*State, error) {
	s := &State{path: path, services: make(map[string]Service)}
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		var list []Service
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("localstate: %s: %w", path, err)
		}
		for _, svc := range list {
			s.services[svc.ID] = svc
		}
	}
	go s.expire(ctx)
	return s, nil
}

// Register adds or replaces a service. After an error the service is known
// but may not survive a restart.
func (s *State) Register(svc Service) error {
	if svc.TTL > 0 {
		svc.Expires = time.Now().Add(svc.TTL)
	}
	s.mu.Lock()
	s.services[svc.ID] = svc
	s.mu.Unlock()
	return s.persist()
}

// Deregister removes a service for good. It is repeated after an error.
func (s *State) Deregister(id string) error {
	s.mu.Lock()
	delete(s.services, id)
	s.mu.Unlock()
	return s.persist()
}

// Services returns what is registered.
func (s *State) Services() []Service {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]Service, 0, len(s.services))
	for _, svc := range s.services {
		list = append(list, svc)
	}
	return list
}

func (s *State) expire(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			if !s.dropExpired(now) {
				continue
			}
			if err := s.persist(); err != nil {
				log.Printf("localstate: %v", err)
			}
		}
	}
}

func (s *State) dropExpired(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped := false
	for id, svc := range s.services {
		if svc.TTL > 0 && now.After(svc.Expires) {
			delete(s.services, id)
			dropped = true
		}
	}
	return dropped
}

// persist writes the state to disk. The file is replaced by a rename, so a
// crash leaves either the old or the new contents. The disk can be slow and
// lookups must not wait for it.
func (s *State) persist() error {
	raw, err := json.MarshalIndent(s.Services(), "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".services-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(raw); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path)
}
