// Package vfs is the name space of an object store with a directory view.
package vfs

import (
	"errors"
	"sync"
)

var (
	ErrNotExist = errors.New("vfs: no such object")
	ErrExist    = errors.New("vfs: name is in use")
)

// names maps paths to object ids; its lock only protects the map.
type names struct {
	mu sync.RWMutex
	m  map[string]uint64
}

func (n *names) get(path string) (uint64, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	id, ok := n.m[path]
	return id, ok
}

func (n *names) set(path string, id uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.m[path] = id
}

func (n *names) remove(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.m, path)
}

// Journal makes name space changes durable.
type Journal interface {
	Append(op, from, to string, id uint64) error
}

// Space is shared by all client sessions. Look-ups run beside the journal
// writes; changes are made one at a time under change.
type Space struct {
	journal Journal
	names   names

	change sync.Mutex
	nextID uint64 // guarded by change
}

func NewSpace(j Journal) *Space {
	return &Space{journal: j, names: names{m: make(map[string]uint64)}}
}

// Lookup returns the object at path.
func (s *Space) Lookup(path string) (uint64, error) {
	id, ok := s.names.get(path)
	if !ok {
		return 0, ErrNotExist
	}
	return id, nil
}

// Create makes a new object.
func (s *Space) Create(path string) (uint64, error) {
	s.change.Lock()
	defer s.change.Unlock()
	if err := s.mustBeFree(path); err != nil {
		return 0, err
	}
	id := s.nextID + 1
	if err := s.journal.Append("create", "", path, id); err != nil {
		return 0, err
	}
	s.nextID = id
	s.names.set(path, id)
	return id, nil
}

// Link gives the object at from a second name.
func (s *Space) Link(from, to string) error {
	s.change.Lock()
	defer s.change.Unlock()
	id, err := s.Lookup(from)
	if err != nil {
		return err
	}
	if err := s.mustBeFree(to); err != nil {
		return err
	}
	if err := s.journal.Append("link", from, to, id); err != nil {
		return err
	}
	s.names.set(to, id)
	return nil
}

// Remove deletes a name.
func (s *Space) Remove(path string) error {
	s.change.Lock()
	defer s.change.Unlock()
	id, err := s.Lookup(path)
	if err != nil {
		return err
	}
	if err := s.journal.Append("remove", path, "", id); err != nil {
		return err
	}
	s.names.remove(path)
	return nil
}

// mustBeFree is called with change held.
func (s *Space) mustBeFree(path string) error {
	if _, ok := s.names.get(path); ok {
		return ErrExist
	}
	return nil
}
