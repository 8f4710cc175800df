// Package records manages DNS record sets for an operator.
package records

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

type table struct {
	mu   sync.Mutex
	sets map[string][]string
}

func (t *table) get(name string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.sets[name])
}

func (t *table) put(name string, addrs []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(addrs) == 0 {
		delete(t.sets, name)
		return
	}
	t.sets[name] = addrs
}

type keyLock struct {
	sync.Mutex
	users int
}

// keyLocks is a set of mutexes, one per key in use.
type keyLocks struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

func (k *keyLocks) lock(key string) (unlock func()) {
	k.mu.Lock()
	l, ok := k.locks[key]
	if !ok {
		l = &keyLock{}
		k.locks[key] = l
	}
	l.users++
	k.mu.Unlock()

	l.Lock()
	return func() {
		l.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(k.locks, key)
		}
	}
}

// Provider publishes record sets; calls may be slow.
type Provider interface {
	Publish(ctx context.Context, name string, addrs []string) error
}

// Manager keeps the record sets and the provider in step.
type Manager struct {
	provider Provider
	table    table
	names    keyLocks
}

// NewManager returns a manager without records.
func NewManager(p Provider) *Manager {
	return &Manager{
		provider: p,
		table:    table{sets: make(map[string][]string)},
		names:    keyLocks{locks: make(map[string]*keyLock)},
	}
}

// Add puts addr into the record set of name.
func (m *Manager) Add(ctx context.Context, name, addr string) error {
	return m.change(ctx, name, func(addrs []string) []string {
		if slices.Contains(addrs, addr) {
			return addrs
		}
		return append(addrs, addr)
	})
}

// Remove takes addr out of the record set of name.
func (m *Manager) Remove(ctx context.Context, name, addr string) error {
	return m.change(ctx, name, func(addrs []string) []string {
		return slices.DeleteFunc(addrs, func(a string) bool { return a == addr })
	})
}

func (m *Manager) change(ctx context.Context, name string, fn func([]string) []string) error {
	unlock := m.names.lock(name)
	defer unlock()
	next := fn(m.table.get(name))
	if err := m.provider.Publish(ctx, name, next); err != nil {
		return fmt.Errorf("publish %s: %w", name, err)
	}
	m.table.put(name, next)
	return nil
}

// Lookup returns the published addresses of name.
func (m *Manager) Lookup(name string) []string { return m.table.get(name) }
