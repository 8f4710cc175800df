// Package objstore holds the deployments known to the control plane.
package objstore

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

// Errors of the store.
var (
	ErrNotFound = errors.New("objstore: not found")
	ErrExists   = errors.New("objstore: already exists")
	ErrConflict = errors.New("objstore: changed since it was read")
)

// Deployment is the desired and the observed state of a workload.
type Deployment struct {
	Name       string
	Version    uint64
	Replicas   int
	Image      string
	Conditions map[string]string
}

func (d Deployment) clone() Deployment {
	d.Conditions = maps.Clone(d.Conditions)
	if d.Conditions == nil {
		d.Conditions = make(map[string]string)
	}
	return d
}

// Store is safe for concurrent use. Objects go in and out by value.
type Store struct {
	mu      sync.RWMutex
	objects map[string]Deployment
}

// New returns an empty store.
func New() *Store {
	return &Store{objects: make(map[string]Deployment)}
}

// Create adds a deployment.
func (s *Store) Create(d Deployment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.objects[d.Name]; ok {
		return ErrExists
	}
	d = d.clone()
	d.Version = 1
	s.objects[d.Name] = d
	return nil
}

// Get returns a copy of a deployment.
func (s *Store) Get(name string) (Deployment, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d, ok := s.objects[name]
	if !ok {
		return Deployment{}, ErrNotFound
	}
	return d.clone(), nil
}

// Put stores a deployment and gives it the next version. It fails with
// ErrConflict unless d was made from the stored version.
func (s *Store) Put(d Deployment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur, ok := s.objects[d.Name]
	if !ok {
		return ErrNotFound
	}
	if cur.Version != d.Version {
		return ErrConflict
	}
	d = d.clone()
	d.Version++
	s.objects[d.Name] = d
	return nil
}

// Scale changes the wanted number of replicas; it serves the users' API.
func (s *Store) Scale(name string, replicas int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.objects[name]
	if !ok {
		return ErrNotFound
	}
	d.Replicas = replicas
	d.Version++
	s.objects[name] = d
	return nil
}

// Names lists the deployments in order.
func (s *Store) Names() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.objects))
}
