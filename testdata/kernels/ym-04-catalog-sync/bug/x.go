// Package bug keeps an agent's own services and brings the cluster catalog in
// line with them.
package bug

import (
	"context"
	"sync"
	"time"
)

type Service struct {
	ID      string
	Name    string
	Address string
	Port    int
	Status  string
}

// Catalog is the remote side.
type Catalog interface {
	Register(ctx context.Context, s Service) error
	Deregister(ctx context.Context, id string) error
}

type record struct {
	svc     Service
	inSync  bool
	removed bool
}

type State struct {
	catalog Catalog

	mu       sync.RWMutex
	services map[string]*record

	syncing sync.Mutex
	wake    chan struct{}
}

func NewState(c Catalog) *State {
	return &State{catalog: c, services: make(map[string]*record), wake: make(chan struct{}, 1)}
}

func (s *State) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *State) AddService(svc Service) {
	s.mu.Lock()
	s.services[svc.ID] = &record{svc: svc}
	s.mu.Unlock()
	s.notify()
}

// SetStatus is called by the health checks.
func (s *State) SetStatus(id, status string) {
	s.mu.Lock()
	r, ok := s.services[id]
	if !ok || r.removed || r.svc.Status == status {
		s.mu.Unlock()
		return
	}
	r.svc.Status = status
	r.inSync = false
	s.mu.Unlock()
	s.notify()
}

func (s *State) RemoveService(id string) {
	s.mu.Lock()
	if r, ok := s.services[id]; ok {
		r.removed = true
		r.inSync = false
	}
	s.mu.Unlock()
	s.notify()
}

// Run pushes changes to the catalog as they are made.
func (s *State) Run(ctx context.Context) {
	for {
		select {
		case <-s.wake:
			if err := s.SyncChanges(ctx); err != nil {
				time.AfterFunc(5*time.Second, s.notify)
			}
		case <-ctx.Done():
			return
		}
	}
}

// SyncChanges pushes all records that are not in sync.
func (s *State) SyncChanges(ctx context.Context) error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	for _, r := range s.pending() {
		if err := s.push(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) pending() []*record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*record
	for _, r := range s.services {
		if !r.inSync {
			out = append(out, r)
		}
	}
	return out
}

func (s *State) push(ctx context.Context, r *record) error {
	s.mu.RLock()
	svc, removed := r.svc, r.removed
	s.mu.RUnlock()
	if removed {
		return s.deregister(ctx, r, svc.ID)
	}
	return s.register(ctx, r, svc)
}

func (s *State) register(ctx context.Context, r *record, svc Service) error {
	if err := s.catalog.Register(ctx, svc); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.inSync = true
	return nil
}

func (s *State) deregister(ctx context.Context, r *record, id string) error {
	if err := s.catalog.Deregister(ctx, id); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.services[id] == r {
		delete(s.services, id)
	}
	return nil
}
