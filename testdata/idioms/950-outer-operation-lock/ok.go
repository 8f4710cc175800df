// Package extensions manages the extensions of an editor server.
package extensions

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Errors returned by the registry.
var (
	ErrInstalled    = errors.New("extensions: already installed")
	ErrNotInstalled = errors.New("extensions: not installed")
	ErrNeeded       = errors.New("extensions: needed by another extension")
)

// Manifest describes an extension.
type Manifest struct {
	Name     string
	Version  string
	Requires []string
}

// Disk unpacks and removes extension archives. Its methods are slow.
type Disk interface {
	Unpack(archive string) (Manifest, error)
	Remove(m Manifest) error
}

// Registry is the set of installed extensions. It is safe for concurrent use.
//
// ops is held during a whole install, upgrade or removal; mu is held briefly,
// so that lookups do not wait for the disk.
type Registry struct {
	disk Disk
	ops  sync.Mutex

	mu        sync.RWMutex
	installed map[string]Manifest
	needed    map[string]int // by how many installed extensions
}

// NewRegistry returns an empty registry.
func NewRegistry(disk Disk) *Registry {
	return &Registry{
		disk:      disk,
		installed: make(map[string]Manifest),
		needed:    make(map[string]int),
	}
}

// Install adds an extension whose requirements are installed.
func (r *Registry) Install(archive string) error {
	r.ops.Lock()
	defer r.ops.Unlock()
	m, err := r.disk.Unpack(archive)
	if err != nil {
		return fmt.Errorf("extensions: unpack %s: %w", archive, err)
	}
	if err := r.admissible(m); err != nil {
		return errors.Join(err, r.disk.Remove(m))
	}
	r.add(m)
	return nil
}

func (r *Registry) admissible(m Manifest) error {
	if _, ok := r.Lookup(m.Name); ok {
		return fmt.Errorf("%w: %s", ErrInstalled, m.Name)
	}
	for _, dep := range m.Requires {
		if _, ok := r.Lookup(dep); !ok {
			return fmt.Errorf("%w: %s", ErrNotInstalled, dep)
		}
	}
	return nil
}

// Uninstall removes an extension that no other one requires.
func (r *Registry) Uninstall(name string) error {
	r.ops.Lock()
	defer r.ops.Unlock()
	m, ok := r.Lookup(name)
	if !ok {
		return fmt.Errorf("%w: %s", ErrNotInstalled, name)
	}
	if r.Dependents(name) > 0 {
		return fmt.Errorf("%w: %s", ErrNeeded, name)
	}
	r.drop(m)
	return r.disk.Remove(m)
}

// Lookup returns the manifest of an installed extension.
func (r *Registry) Lookup(name string) (Manifest, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := r.installed[name]
	return m, ok
}

// Dependents returns how many installed extensions require name.
func (r *Registry) Dependents(name string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.needed[name]
}

// List returns the installed extensions in the order of their names.
func (r *Registry) List() []Manifest {
	r.mu.RLock()
	defer r.mu.RUnlock()
	ms := make([]Manifest, 0, len(r.installed))
	for _, m := range r.installed {
		ms = append(ms, m)
	}
	sort.Slice(ms, func(i, j int) bool { return ms[i].Name < ms[j].Name })
	return ms
}

func (r *Registry) add(m Manifest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.installed[m.Name] = m
	for _, dep := range m.Requires {
		r.needed[dep]++
	}
}

func (r *Registry) drop(m Manifest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.installed, m.Name)
	for _, dep := range m.Requires {
		if r.needed[dep]--; r.needed[dep] == 0 {
			delete(r.needed, dep)
		}
	}
}
