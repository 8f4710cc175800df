package nodes

import (
	"errors"
	"sync"
	"time"
)

// Errors returned by a Store.
var (
	ErrNotFound = errors.New("nodes: not found")
	ErrExists   = errors.New("nodes: already exists")
)

// Node is a worker machine as the control plane sees it.
type Node struct {
	Name      string
	Ready     bool
	Cordoned  bool
	CPU       int64 // capacity in millicores
	Allocated int64 // of CPU, by the scheduler
	LastSeen  time.Time
}

// Store keeps the nodes. Each call is atomic.
type Store interface {
	Get(name string) (Node, error)
	List() []Node
	Create(n Node) error
	Put(n Node)
	Update(name string, f func(*Node) error) error
	Delete(name string) error
}

// MemStore is a Store in memory.
type MemStore struct {
	mu    sync.RWMutex
	nodes map[string]Node
}

// NewMemStore returns an empty store.
func NewMemStore() *MemStore { return &MemStore{nodes: make(map[string]Node)} }

// Get returns the node with the given name.
func (s *MemStore) Get(name string) (Node, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.nodes[name]
	if !ok {
		return Node{}, ErrNotFound
	}
	return n, nil
}

// List returns all nodes.
func (s *MemStore) List() []Node {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Node, 0, len(s.nodes))
	for _, n := range s.nodes {
		all = append(all, n)
	}
	return all
}

// Create adds a node.
func (s *MemStore) Create(n Node) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.nodes[n.Name]; ok {
		return ErrExists
	}
	s.nodes[n.Name] = n
	return nil
}

// Put stores n under its name.
func (s *MemStore) Put(n Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[n.Name] = n
}

// Update applies f to the stored node. Nothing is stored if f fails.
func (s *MemStore) Update(name string, f func(*Node) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.nodes[name]
	if !ok {
		return ErrNotFound
	}
	if err := f(&n); err != nil {
		return err
	}
	s.nodes[name] = n
	return nil
}

// Delete removes a node.
func (s *MemStore) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.nodes[name]; !ok {
		return ErrNotFound
	}
	delete(s.nodes, name)
	return nil
}
