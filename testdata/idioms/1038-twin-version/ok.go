// Package twin stores the desired properties of devices.
package twin

import (
	"context"
	"errors"
	"maps"
	"sync"
)

var ErrContention = errors.New("twin: too many concurrent changes")

// Props are the properties of a device.
type Props map[string]string

type record struct {
	props   Props // never modified once stored
	version uint64
}

// Store keeps the twins in memory.
type Store struct {
	mu    sync.RWMutex
	last  uint64 // last version given out, over all twins
	twins map[string]record
}

func NewStore() *Store {
	return &Store{twins: make(map[string]record)}
}

func (s *Store) read(id string) record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.twins[id]
}

func (s *Store) commit(id string, seen uint64, next Props) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.twins[id].version != seen {
		return false
	}
	s.last++
	s.twins[id] = record{props: next, version: s.last}
	return true
}

// Get returns a copy of the properties.
func (s *Store) Get(id string) Props {
	return maps.Clone(s.read(id).props)
}

// Delete removes a twin.
func (s *Store) Delete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.twins, id)
}

// Change computes new properties from the old ones. It may be slow, as some
// changes ask the model registry, and it may be called more than once.
type Change func(ctx context.Context, p Props) error

// Patch applies a change to the twin.
func (s *Store) Patch(ctx context.Context, id string, change Change) error {
	for range 16 {
		cur := s.read(id)
		next := maps.Clone(cur.props)
		if next == nil {
			next = Props{}
		}
		if err := change(ctx, next); err != nil {
			return err
		}
		if maps.Equal(next, cur.props) {
			return nil
		}
		if s.commit(id, cur.version, next) {
			return nil
		}
	}
	return ErrContention
}

// Set is a Patch with fixed values.
func (s *Store) Set(ctx context.Context, id string, values Props) error {
	return s.Patch(ctx, id, func(_ context.Context, p Props) error {
		maps.Copy(p, values)
		return nil
	})
}
