// Package a is a small state store with blocking queries.
package a

import (
	"context"
	"sync"
)

// Service is one registered instance.
type Service struct {
	Name    string
	Address string
}

// StateStore keeps the catalog. Every write bumps the index and wakes
// the queries that wait for a change.
type StateStore struct {
	mu       sync.RWMutex
	index    uint64
	services map[string]Service
	changed  chan struct{}
}

func NewStateStore() *StateStore {
	return &StateStore{
		services: make(map[string]Service),
		changed:  make(chan struct{}),
	}
}

// notifyLocked wakes all waiters; s.mu must be held for writing.
func (s *StateStore) notifyLocked() {
	s.index++
	close(s.changed)
	s.changed = make(chan struct{})
}

// Register adds or replaces an instance.
func (s *StateStore) Register(id string, svc Service) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.services[id] = svc
	s.notifyLocked()
}

// Deregister removes an instance.
func (s *StateStore) Deregister(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.services[id]; !ok {
		return
	}
	delete(s.services, id)
	s.notifyLocked()
}

// Services returns the instances of a service and the index they were
// read at.
func (s *StateStore) Services(name string) (uint64, []Service) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Service
	for _, svc := range s.services {
		if svc.Name == name {
			out = append(out, svc)
		}
	}
	return s.index, out
}

// WatchCh returns a channel that is closed by the next write.
func (s *StateStore) WatchCh() <-chan struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.changed
}

// Server answers queries from a state store.
type Server struct {
	state *StateStore
}

func NewServer(state *StateStore) *Server { return &Server{state: state} }

// ServiceNodes returns the instances of a service once the index is
// larger than minIndex, or what there is when ctx ends.
func (s *Server) ServiceNodes(ctx context.Context, name string, minIndex uint64) (uint64, []Service) {
	for {
		index, nodes := s.state.Services(name)
		if index > minIndex {
			return index, nodes
		}

		watch := s.state.WatchCh()
		select {
		case <-watch:
		case <-ctx.Done():
			return index, nodes
		}
	}
}
