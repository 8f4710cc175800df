// Package bug turns build snapshots into image layers on demand.
package bug

import (
	"fmt"
	"strings"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/moby-07-ensure-layer/bug/layers"
)

// meta is the durable part of the snapshots.
type meta struct {
	mu      sync.RWMutex
	parents map[string]string
	chains  map[string]string // chain of the layer once there is one
}

func (m *meta) parent(key string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	p, ok := m.parents[key]
	return p, ok
}

func (m *meta) chain(key string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.chains[key]
}

func (m *meta) setChain(key, chain string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.chains[key] = chain
}

// Snapshots is safe for concurrent use.
type Snapshots struct {
	store *layers.Store
	meta  *meta

	mu   sync.Mutex
	held map[string]*layers.Layer // by snapshot or chain
}

// New returns snapshots, given with their parents, over a layer store.
func New(store *layers.Store, parents map[string]string) *Snapshots {
	return &Snapshots{
		store: store,
		meta:  &meta{parents: parents, chains: make(map[string]string)},
		held:  make(map[string]*layers.Layer),
	}
}

// lookup returns the layer of a snapshot or chain, or nil if there is none.
func (s *Snapshots) lookup(key string) (*layers.Layer, error) {
	s.mu.Lock()
	if s.held[key] == nil && !strings.HasPrefix(key, "chain:") {
		if key = s.meta.chain(key); key == "" {
			s.mu.Unlock()
			return nil, nil
		}
	}
	l, ok := s.held[key]
	if !ok {
		var err error
		if l, err = s.store.Get(key); err != nil {
			s.mu.Unlock()
			return nil, err
		}
		s.held[key] = l
	}
	s.mu.Unlock()
	return l, nil
}

// Stack returns the diffs of a snapshot that has a layer.
func (s *Snapshots) Stack(key string) ([]string, error) {
	l, err := s.lookup(key)
	if err != nil || l == nil {
		return nil, err
	}
	return l.Diffs, nil
}

// Materialize makes a layer of a snapshot and of those below it, and returns
// their diffs.
func (s *Snapshots) Materialize(key string) ([]string, error) {
	diffs, err := s.Stack(key)
	if err != nil || diffs != nil {
		return diffs, err
	}
	parent, ok := s.meta.parent(key)
	if !ok {
		return nil, fmt.Errorf("snapshots: %q is not committed", key)
	}

	var wg sync.WaitGroup
	var below []string
	var diff string
	var belowErr, digestErr error
	if parent != "" {
		wg.Go(func() { below, belowErr = s.Materialize(parent) })
	}
	wg.Go(func() { diff, digestErr = s.store.Digest(key, parent) })
	wg.Wait()
	if belowErr != nil {
		return nil, belowErr
	}
	if digestErr != nil {
		return nil, digestErr
	}

	l := s.store.Register(below, diff)
	s.meta.setChain(key, l.Chain)
	s.mu.Lock()
	s.held[key] = l
	s.mu.Unlock()
	return l.Diffs, nil
}

// Release gives up the reference that is held for a snapshot or chain.
func (s *Snapshots) Release(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.held[key]
	if !ok {
		return
	}
	delete(s.held, key)
	s.meta.setChain(key, "")
	s.store.Release(l)
}
