// Package flagadmin is the write side of the feature flag service.
package flagadmin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
)

var (
	ErrNoFlag = errors.New("flagadmin: no such flag")
	ErrExists = errors.New("flagadmin: flag exists")
)

// Flag is a feature flag with the tenants it is on for.
type Flag struct {
	Name    string
	Owner   string
	Default bool
	Tenants map[string]bool // not modified once the flag is in the registry
}

// Storage keeps the flags over restarts.
type Storage interface {
	Load(ctx context.Context) (map[string]Flag, error)
	Save(ctx context.Context, flags map[string]Flag) error
}

// Registry is the set of flags. Evaluation goes on while an administrator's
// change is being saved. It is safe for concurrent use.
type Registry struct {
	storage Storage

	admin sync.Mutex // held for the whole of a change

	mu    sync.RWMutex
	flags map[string]Flag
}

// Open loads the registry from storage.
func Open(ctx context.Context, s Storage) (*Registry, error) {
	flags, err := s.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("flagadmin: load: %w", err)
	}
	if flags == nil {
		flags = make(map[string]Flag)
	}
	return &Registry{storage: s, flags: flags}, nil
}

// Enabled evaluates a flag for a tenant. Unknown flags are off.
func (r *Registry) Enabled(name, tenant string) bool {
	f, ok := r.get(name)
	if !ok {
		return false
	}
	if on, ok := f.Tenants[tenant]; ok {
		return on
	}
	return f.Default
}

func (r *Registry) get(name string) (Flag, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	f, ok := r.flags[name]
	return f, ok
}

func (r *Registry) snapshot() map[string]Flag {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return maps.Clone(r.flags)
}

func (r *Registry) install(flags map[string]Flag) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flags = flags
}

// commit saves the changed flags and puts them into effect.
func (r *Registry) commit(ctx context.Context, next map[string]Flag) error {
	if err := r.storage.Save(ctx, next); err != nil {
		return fmt.Errorf("flagadmin: save: %w", err)
	}
	r.install(next)
	return nil
}

// Create adds a flag that is off.
func (r *Registry) Create(ctx context.Context, name, owner string) error {
	r.admin.Lock()
	defer r.admin.Unlock()
	if _, ok := r.get(name); ok {
		return ErrExists
	}
	next := r.snapshot()
	next[name] = Flag{Name: name, Owner: owner}
	return r.commit(ctx, next)
}

// SetTenant turns a flag on or off for one tenant.
func (r *Registry) SetTenant(ctx context.Context, name, tenant string, on bool) error {
	r.admin.Lock()
	defer r.admin.Unlock()
	f, ok := r.get(name)
	if !ok {
		return ErrNoFlag
	}
	tenants := make(map[string]bool, len(f.Tenants)+1)
	maps.Copy(tenants, f.Tenants)
	tenants[tenant] = on
	f.Tenants = tenants
	next := r.snapshot()
	next[name] = f
	return r.commit(ctx, next)
}

// Rename gives a flag another name.
func (r *Registry) Rename(ctx context.Context, from, to string) error {
	r.admin.Lock()
	defer r.admin.Unlock()
	f, ok := r.get(from)
	if !ok {
		return ErrNoFlag
	}
	if _, taken := r.get(to); taken {
		return ErrExists
	}
	f.Name = to
	next := r.snapshot()
	delete(next, from)
	next[to] = f
	return r.commit(ctx, next)
}

// Delete removes a flag.
func (r *Registry) Delete(ctx context.Context, name string) error {
	r.admin.Lock()
	defer r.admin.Unlock()
	if _, ok := r.get(name); !ok {
		return ErrNoFlag
	}
	next := r.snapshot()
	delete(next, name)
	return r.commit(ctx, next)
}
