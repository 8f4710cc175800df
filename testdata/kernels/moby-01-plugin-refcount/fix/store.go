// Package fix keeps the plugins of a daemon.
package fix

import (
	"errors"
	"fmt"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/moby-01-plugin-refcount/fix/plugin"
)

// ErrNotFound is returned if there is no such plugin or it is disabled.
var ErrNotFound = errors.New("store: plugin not found")

// Mode says what a caller of Get does with the reference count.
type Mode int

// The modes of Get.
const (
	Release Mode = -1
	Lookup  Mode = 0
	Acquire Mode = 1
)

// Store finds plugins by name. It is safe for concurrent use.
type Store struct {
	sync.RWMutex
	plugins map[string]*plugin.Plugin
}

// New returns an empty store.
func New() *Store { return &Store{plugins: make(map[string]*plugin.Plugin)} }

// Add makes a plugin known.
func (s *Store) Add(p *plugin.Plugin) error {
	s.Lock()
	defer s.Unlock()
	if _, ok := s.plugins[p.Name()]; ok {
		return fmt.Errorf("store: plugin %q exists", p.Name())
	}
	s.plugins[p.Name()] = p
	return nil
}

func (s *Store) byName(name string) (*plugin.Plugin, error) {
	s.RLock()
	defer s.RUnlock()
	p, ok := s.plugins[name]
	if !ok {
		return nil, ErrNotFound
	}
	return p, nil
}

// Get returns an enabled plugin. Callers that acquire a plugin call Get a
// second time to release it.
func (s *Store) Get(name, capability string, mode Mode) (*plugin.Plugin, error) {
	p, err := s.byName(name)
	if err != nil {
		return nil, err
	}
	if !p.Can(capability) {
		return nil, fmt.Errorf("store: plugin %q has no capability %q", name, capability)
	}
	p.AddRefs(int(mode))
	if !p.Enabled() {
		p.AddRefs(-int(mode))
		return nil, ErrNotFound
	}
	return p, nil
}

// WithCapability returns the enabled plugins that have a capability.
func (s *Store) WithCapability(capability string) []*plugin.Plugin {
	s.RLock()
	defer s.RUnlock()
	var out []*plugin.Plugin
	for _, p := range s.plugins {
		if p.Can(capability) && p.Enabled() {
			out = append(out, p)
		}
	}
	return out
}

// Remove disables a plugin and forgets it.
func (s *Store) Remove(name string) error {
	s.Lock()
	defer s.Unlock()
	p, ok := s.plugins[name]
	if !ok {
		return ErrNotFound
	}
	if err := p.Disable(); err != nil {
		return err
	}
	delete(s.plugins, name)
	return nil
}
