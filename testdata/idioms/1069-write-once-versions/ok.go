// Package modreg is a module registry. A version, once published, stays for
// ever and never changes; a bad release can only be retracted.
package modreg

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

// ErrExists is returned when a version is published again.
var ErrExists = errors.New("modreg: version exists")

// Ref names a version of a module.
type Ref struct {
	Module  string
	Version string
}

func (r Ref) String() string { return r.Module + "@" + r.Version }

// Manifest is the published description of a version. It must not be changed
// after Publish.
type Manifest struct {
	Ref
	Digest   string
	Requires []Ref
}

// Registry is safe for concurrent use.
type Registry struct {
	mu        sync.RWMutex
	manifests map[Ref]*Manifest
	retracted map[Ref]string
}

// New returns an empty registry.
func New() *Registry {
	return &Registry{
		manifests: make(map[Ref]*Manifest),
		retracted: make(map[Ref]string),
	}
}

// Publish adds a version. All that it requires has to be there before it.
func (r *Registry) Publish(m *Manifest) error {
	for _, req := range m.Requires {
		if !r.Has(req) {
			return fmt.Errorf("modreg: %v requires unknown %v", m.Ref, req)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.manifests[m.Ref]; ok {
		return ErrExists
	}
	r.manifests[m.Ref] = m
	return nil
}

// Retract marks a version as not to be used. Installs of it still work.
func (r *Registry) Retract(ref Ref, reason string) error {
	if !r.Has(ref) {
		return fmt.Errorf("modreg: no %v", ref)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retracted[ref] = reason
	return nil
}

// Has tells whether the version was published.
func (r *Registry) Has(ref Ref) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.manifests[ref]
	return ok
}

func (r *Registry) manifest(ref Ref) *Manifest {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.manifests[ref]
}

// Retracted returns the reason if the version was retracted.
func (r *Registry) Retracted(ref Ref) (string, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	reason, ok := r.retracted[ref]
	return reason, ok
}

// Locked is a line of a lock file.
type Locked struct {
	Ref
	Digest string
}

// Lock returns the version and all that it needs, for a lock file.
func (r *Registry) Lock(root Ref) ([]Locked, error) {
	if !r.Has(root) {
		return nil, fmt.Errorf("modreg: no %v", root)
	}
	seen := map[Ref]bool{root: true}
	todo := []Ref{root}
	var out []Locked
	for len(todo) > 0 {
		ref := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		out = append(out, Locked{Ref: ref, Digest: r.manifest(ref).Digest})
		for _, req := range r.manifest(ref).Requires {
			if !seen[req] {
				seen[req] = true
				todo = append(todo, req)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].String() < out[j].String()
	})
	return out, nil
}
