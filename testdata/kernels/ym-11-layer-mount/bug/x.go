// Package bug shares the mounts of image layers between containers.
package bug

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var ErrBusy = errors.New("layers: still mounted")

type Driver interface {
	Mount(layer string) (path string, err error)
	Unmount(path string) error
	Delete(layer string) error
}

// Mount is one user's hold on a mounted layer.
type Mount struct {
	shared   *shared
	released atomic.Bool
}

func (m *Mount) Path() string { return m.shared.path }

type shared struct {
	layer string
	path  string
	users atomic.Int32
}

type Store struct {
	driver Driver

	mu     sync.Mutex
	mounts map[string]*shared
}

func NewStore(d Driver) *Store {
	return &Store{driver: d, mounts: make(map[string]*shared)}
}

// Mount mounts a layer, or shares the mount that there is.
func (s *Store) Mount(layer string) (*Mount, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh, ok := s.mounts[layer]
	if !ok {
		path, err := s.driver.Mount(layer)
		if err != nil {
			return nil, fmt.Errorf("mount %s: %w", layer, err)
		}
		sh = &shared{layer: layer, path: path}
		s.mounts[layer] = sh
	}
	sh.users.Add(1)
	return &Mount{shared: sh}, nil
}

// Release gives up a hold; the last one unmounts. It may be called again.
func (s *Store) Release(m *Mount) error {
	if !m.released.CompareAndSwap(false, true) {
		return nil
	}
	if m.shared.users.Add(-1) > 0 {
		return nil
	}
	return s.unmount(m.shared)
}

func (s *Store) unmount(sh *shared) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mounts[sh.layer] != sh {
		return nil
	}
	if err := s.driver.Unmount(sh.path); err != nil {
		return fmt.Errorf("unmount %s: %w", sh.layer, err)
	}
	delete(s.mounts, sh.layer)
	return nil
}

// Delete removes a layer from disk if nobody has it mounted.
func (s *Store) Delete(layer string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.mounts[layer]; ok {
		return ErrBusy
	}
	return s.driver.Delete(layer)
}

// Users returns how many hold a layer.
func (s *Store) Users(layer string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh, ok := s.mounts[layer]; ok {
		return int(sh.users.Load())
	}
	return 0
}
