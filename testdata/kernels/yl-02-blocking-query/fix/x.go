// Package fix is a small table with blocking reads.
package fix

import (
	"context"
	"sync"
)

type row[V any] struct {
	value V
	index uint64
	gone  bool
}

// Table gives every write an index; readers may wait for a row to get past
// an index they have seen.
type Table[V any] struct {
	mu      sync.RWMutex
	index   uint64
	rows    map[string]row[V]
	changed chan struct{}
}

func NewTable[V any]() *Table[V] {
	return &Table[V]{
		rows:    make(map[string]row[V]),
		changed: make(chan struct{}),
	}
}

// Put writes a row and returns its index.
func (t *Table[V]) Put(key string, v V) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.write(key, row[V]{value: v})
}

// Delete leaves a tombstone so that waiting readers learn of it.
func (t *Table[V]) Delete(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r, ok := t.rows[key]; !ok || r.gone {
		return false
	}
	t.write(key, row[V]{gone: true})
	return true
}

func (t *Table[V]) write(key string, r row[V]) uint64 {
	t.index++
	r.index = t.index
	t.rows[key] = r
	close(t.changed)
	t.changed = make(chan struct{})
	return r.index
}

// Get returns the row, its index and whether it exists.
func (t *Table[V]) Get(key string) (V, uint64, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, ok := t.rows[key]
	return r.value, r.index, ok && !r.gone
}

func (t *Table[V]) changes() <-chan struct{} {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.changed
}

// Wait blocks until the row has an index above min.
func (t *Table[V]) Wait(ctx context.Context, key string, min uint64) (V, uint64, bool, error) {
	for {
		changed := t.changes()
		v, index, ok := t.Get(key)
		if index > min {
			return v, index, ok, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return v, index, ok, ctx.Err()
		}
	}
}

// Follow calls fn for each new state of the row until ctx ends.
func (t *Table[V]) Follow(ctx context.Context, key string, fn func(V, bool)) error {
	var seen uint64
	for {
		v, index, ok, err := t.Wait(ctx, key, seen)
		if err != nil {
			return err
		}
		seen = index
		fn(v, ok)
	}
}

// Len counts the rows that exist.
func (t *Table[V]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := 0
	for _, r := range t.rows {
		if !r.gone {
			n++
		}
	}
	return n
}
