// Package a writes the status conditions of workloads to an object store that
// is shared with other controllers.
package a

import (
	"context"
	"errors"
	"maps"
	"sync"
)

var (
	ErrConflict = errors.New("object was modified")
	ErrNotFound = errors.New("object not found")
	ErrExists   = errors.New("object exists")
)

// Workload is the stored object.
type Workload struct {
	Name       string
	Revision   int64
	Conditions map[string]string
	Restarts   int
}

func (w Workload) clone() Workload {
	w.Conditions = maps.Clone(w.Conditions)
	if w.Conditions == nil {
		w.Conditions = make(map[string]string)
	}
	return w
}

// Store keeps the objects. Update succeeds only if the revision of the object
// is the one that is stored.
type Store interface {
	Get(ctx context.Context, name string) (Workload, error)
	Create(ctx context.Context, w Workload) error
	Update(ctx context.Context, w Workload) error
}

// MemStore is a Store in memory.
type MemStore struct {
	mu      sync.RWMutex
	objects map[string]Workload
	rev     int64
}

// NewMemStore returns an empty store.
func NewMemStore() *MemStore {
	return &MemStore{objects: make(map[string]Workload)}
}

func (m *MemStore) Get(_ context.Context, name string) (Workload, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	w, ok := m.objects[name]
	if !ok {
		return Workload{}, ErrNotFound
	}
	return w.clone(), nil
}

func (m *MemStore) Create(_ context.Context, w Workload) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.objects[w.Name]; ok {
		return ErrExists
	}
	m.putLocked(w)
	return nil
}

func (m *MemStore) Update(_ context.Context, w Workload) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	cur, ok := m.objects[w.Name]
	if !ok {
		return ErrNotFound
	}
	if cur.Revision != w.Revision {
		return ErrConflict
	}
	m.putLocked(w)
	return nil
}

// putLocked stores a copy under the next revision of the whole store.
func (m *MemStore) putLocked(w Workload) {
	m.rev++
	w = w.clone()
	w.Revision = m.rev
	m.objects[w.Name] = w
}

// StatusWriter is what a controller uses to report.
type StatusWriter struct {
	store Store
}

// NewStatusWriter returns a writer to the store.
func NewStatusWriter(s Store) *StatusWriter {
	return &StatusWriter{store: s}
}

// mutate changes an object; change reports whether there is anything to write.
func (s *StatusWriter) mutate(ctx context.Context, name string, change func(*Workload) bool) error {
	for {
		w, err := s.store.Get(ctx, name)
		if err != nil {
			return err
		}
		if !change(&w) {
			return nil
		}
		err = s.store.Update(ctx, w)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// SetCondition sets one condition and leaves the others alone.
func (s *StatusWriter) SetCondition(ctx context.Context, name, cond, value string) error {
	return s.mutate(ctx, name, func(w *Workload) bool {
		if w.Conditions[cond] == value {
			return false
		}
		w.Conditions[cond] = value
		return true
	})
}

// CountRestart adds one to the restarts.
func (s *StatusWriter) CountRestart(ctx context.Context, name string) error {
	return s.mutate(ctx, name, func(w *Workload) bool {
		w.Restarts++
		return true
	})
}

// Ensure creates the object unless it is there.
func (s *StatusWriter) Ensure(ctx context.Context, name string) error {
	_, err := s.store.Get(ctx, name)
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	err = s.store.Create(ctx, Workload{Name: name})
	if errors.Is(err, ErrExists) {
		return nil
	}
	return err
}
