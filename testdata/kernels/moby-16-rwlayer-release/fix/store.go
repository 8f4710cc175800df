// Package fix manages the writable layers of containers.
package fix

import (
	"errors"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/moby-16-rwlayer-release/fix/locker"
)

// Errors of a Store.
var (
	ErrNameTaken   = errors.New("layer: name is taken")
	ErrNotMounted  = errors.New("layer: no such layer")
	ErrNotRetained = errors.New("layer: reference is not held")
)

// Driver creates and removes the storage of layers.
type Driver interface {
	Create(id string) error
	Remove(id string) error
}

// rwLayer is a layer with the references to it.
type rwLayer struct {
	name string

	sync.Mutex
	refs map[*Layer]struct{}
}

// Layer is one reference to a writable layer.
type Layer struct{ m *rwLayer }

func (m *rwLayer) newRef() *Layer {
	l := &Layer{m: m}
	m.takeRef(l)
	return l
}

func (m *rwLayer) takeRef(l *Layer) {
	m.Lock()
	m.refs[l] = struct{}{}
	m.Unlock()
}

func (m *rwLayer) dropRef(l *Layer) error {
	m.Lock()
	defer m.Unlock()
	if _, ok := m.refs[l]; !ok {
		return ErrNotRetained
	}
	delete(m.refs, l)
	return nil
}

func (m *rwLayer) inUse() bool {
	m.Lock()
	defer m.Unlock()
	return len(m.refs) > 0
}

// Store owns the layers.
type Store struct {
	driver Driver
	names  *locker.Locker

	mu     sync.Mutex // guards byName
	byName map[string]*rwLayer
}

// New returns an empty store.
func New(driver Driver) *Store {
	return &Store{driver: driver, names: locker.New(), byName: make(map[string]*rwLayer)}
}

// Create makes a new layer and returns the first reference to it.
func (s *Store) Create(name string) (*Layer, error) {
	s.names.Lock(name)
	defer s.names.Unlock(name)
	s.mu.Lock()
	_, ok := s.byName[name]
	s.mu.Unlock()
	if ok {
		return nil, ErrNameTaken
	}

	m := &rwLayer{name: name, refs: make(map[*Layer]struct{})}
	if err := s.driver.Create(name); err != nil {
		return nil, err
	}
	l := m.newRef()

	s.mu.Lock()
	s.byName[name] = m
	s.mu.Unlock()
	return l, nil
}

// Get returns one more reference to a layer.
func (s *Store) Get(name string) (*Layer, error) {
	s.names.Lock(name)
	defer s.names.Unlock(name)
	s.mu.Lock()
	m := s.byName[name]
	s.mu.Unlock()
	if m == nil {
		return nil, ErrNotMounted
	}
	return m.newRef(), nil
}

// Release gives a reference back. The storage goes with the last one.
func (s *Store) Release(l *Layer) error {
	name := l.m.name
	s.names.Lock(name)
	defer s.names.Unlock(name)

	s.mu.Lock()
	m := s.byName[name]
	s.mu.Unlock()
	if m == nil {
		return nil
	}
	if err := m.dropRef(l); err != nil {
		return err
	}
	if m.inUse() {
		return nil
	}
	if err := s.driver.Remove(m.name); err != nil {
		m.takeRef(l)
		return err
	}

	s.mu.Lock()
	delete(s.byName, name)
	s.mu.Unlock()
	return nil
}
