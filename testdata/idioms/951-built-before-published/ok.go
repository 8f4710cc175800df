// Package sandbox creates the sandboxes in which workloads run.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Errors returned by the service.
var (
	ErrExists   = errors.New("sandbox: already exists")
	ErrNotFound = errors.New("sandbox: not found")
)

// Network attaches sandboxes to the host network.
type Network interface {
	Attach(ctx context.Context, id string) (ip string, err error)
	Detach(ctx context.Context, id string) error
}

// Sandbox is an isolated environment.
type Sandbox struct {
	ID string

	mu     sync.Mutex
	ip     string
	ready  bool
	labels map[string]string
}

// SetIP sets the address.
func (s *Sandbox) SetIP(ip string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ip = ip
}

// SetReady sets whether workloads may be started.
func (s *Sandbox) SetReady(ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = ready
}

// SetLabel adds or replaces a label.
func (s *Sandbox) SetLabel(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.labels[key] = value
}

// Status is a copy of the state of a sandbox.
type Status struct {
	ID     string
	IP     string
	Ready  bool
	Labels map[string]string
}

// Status returns the current state.
func (s *Sandbox) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{ID: s.ID, IP: s.ip, Ready: s.ready, Labels: maps.Clone(s.labels)}
}

// Service holds the sandboxes of the host. It is safe for concurrent use.
type Service struct {
	net Network

	mu        sync.RWMutex
	names     map[string]bool // in use, also by sandboxes under construction or removal
	sandboxes map[string]*Sandbox
}

// NewService returns a service without sandboxes.
func NewService(net Network) *Service {
	return &Service{
		net:       net,
		names:     make(map[string]bool),
		sandboxes: make(map[string]*Sandbox),
	}
}

// Create builds a sandbox.
func (v *Service) Create(ctx context.Context, id string, labels map[string]string) (Status, error) {
	if !v.reserve(id) {
		return Status{}, fmt.Errorf("%w: %s", ErrExists, id)
	}
	s, err := v.build(ctx, id, labels)
	if err != nil {
		v.unreserve(id)
		return Status{}, err
	}
	st := s.Status()
	v.publish(s)
	return st, nil
}

func (v *Service) build(ctx context.Context, id string, labels map[string]string) (*Sandbox, error) {
	s := &Sandbox{ID: id, labels: make(map[string]string)}
	for k, val := range labels {
		s.SetLabel(k, val)
	}
	s.SetReady(true)
	ip, err := v.net.Attach(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("sandbox: attach %s: %w", id, err)
	}
	s.SetIP(ip)
	return s, nil
}

func (v *Service) reserve(id string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.names[id] {
		return false
	}
	v.names[id] = true
	return true
}

func (v *Service) unreserve(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.names, id)
}

func (v *Service) publish(s *Sandbox) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sandboxes[s.ID] = s
}

// withdraw takes a sandbox out. Its name stays in use.
func (v *Service) withdraw(id string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.sandboxes[id]
	delete(v.sandboxes, id)
	return ok
}

// Remove detaches a sandbox and forgets it.
func (v *Service) Remove(ctx context.Context, id string) error {
	if !v.withdraw(id) {
		return fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	defer v.unreserve(id)
	return v.net.Detach(ctx, id)
}

// Get returns the state of a sandbox.
func (v *Service) Get(id string) (Status, error) {
	v.mu.RLock()
	s, ok := v.sandboxes[id]
	v.mu.RUnlock()
	if !ok {
		return Status{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return s.Status(), nil
}
