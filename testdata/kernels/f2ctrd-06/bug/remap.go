// Package bug prepares root file systems from shared layers.
package bug

import (
	"errors"
	"fmt"
	"sync"
)

var (
	errAbsent = errors.New("layer not found")
	errTaken  = errors.New("layer already exists")
)

type layer struct {
	parent    string
	committed bool
	owner     uint32
	root      bool
}

// LayerStore keeps layers by name.
type LayerStore struct {
	mu     sync.Mutex
	layers map[string]*layer
	leases int
}

// NewLayerStore returns a store without layers.
func NewLayerStore() *LayerStore { return &LayerStore{layers: make(map[string]*layer)} }

// Import adds a layer that belongs to an image.
func (s *LayerStore) Import(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers[name] = &layer{committed: true, root: true}
}

// Stat returns an error if a committed layer does not exist.
func (s *LayerStore) Stat(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.layers[name]; l == nil || !l.committed {
		return fmt.Errorf("stat %s: %w", name, errAbsent)
	}
	return nil
}

// Prepare makes a writable layer on top of parent.
func (s *LayerStore) Prepare(name, parent string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.layers[parent]; p == nil || !p.committed {
		return fmt.Errorf("prepare %s on %s: %w", name, parent, errAbsent)
	}
	if s.layers[name] != nil {
		return fmt.Errorf("prepare %s: %w", name, errTaken)
	}
	s.layers[name] = &layer{parent: parent}
	return nil
}

// Chown gives a writable layer to an owner.
func (s *LayerStore) Chown(name string, uid uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.layers[name]
	if l == nil || l.committed {
		return fmt.Errorf("chown %s: %w", name, errAbsent)
	}
	l.owner = uid
	return nil
}

// Commit turns the writable layer key into the committed layer name.
func (s *LayerStore) Commit(name, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.layers[key]
	if l == nil || l.committed {
		return fmt.Errorf("commit %s: %w", key, errAbsent)
	}
	if s.layers[name] != nil {
		return fmt.Errorf("commit %s: %w", name, errTaken)
	}
	delete(s.layers, key)
	l.committed = true
	s.layers[name] = l
	return nil
}

// Remove drops a writable layer.
func (s *LayerStore) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.layers[name]; l != nil && !l.committed {
		delete(s.layers, name)
	}
}

// Lease keeps the collector away until the returned function is called.
func (s *LayerStore) Lease() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases++
	return func() {
		s.mu.Lock()
		s.leases--
		s.mu.Unlock()
	}
}

// Collect removes the committed layers that nothing refers to.
func (s *LayerStore) Collect() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases > 0 {
		return 0
	}
	used := make(map[string]bool)
	for _, l := range s.layers {
		used[l.parent] = true
	}
	n := 0
	for name, l := range s.layers {
		if l.committed && !l.root && !used[name] {
			delete(s.layers, name)
			n++
		}
	}
	return n
}

// Builder makes root file systems.
type Builder struct {
	store *LayerStore
	build sync.Mutex
}

// NewBuilder returns a builder on a store.
func NewBuilder(s *LayerStore) *Builder { return &Builder{store: s} }

// RootFor prepares the layer id with the files of image owned by uid.
func (b *Builder) RootFor(id, image string, uid uint32) error {
	base := fmt.Sprintf("%s-%d", image, uid)
	if err := b.store.Stat(base); err == nil {
		return b.store.Prepare(id, base)
	}
	return b.remap(id, base, image, uid)
}

func (b *Builder) remap(id, base, image string, uid uint32) error {
	b.build.Lock()
	defer b.build.Unlock()
	release := b.store.Lease()
	defer release()

	if b.store.Stat(base) != nil {
		key := base + "-remap"
		if err := b.store.Prepare(key, image); err != nil {
			return err
		}
		defer b.store.Remove(key)
		if err := b.store.Chown(key, uid); err != nil {
			return err
		}
		if err := b.store.Commit(base, key); err != nil {
			return err
		}
	}
	return b.store.Prepare(id, base)
}
