// Package backend is an ordered key-value store.
package backend

import (
	"bytes"
	"maps"
	"slices"
	"sync"
)

// Iterator walks over a snapshot.
type Iterator interface {
	Next() bool
	Key() []byte
	Value() []byte
	Release()
}

// WriteTransaction collects changes; its iterators show the moment at which
// it was begun.
type WriteTransaction interface {
	Put(key, val []byte)
	Delete(key []byte)
	NewPrefixIterator(prefix []byte) Iterator
	Commit() error
	Release()
}

// Backend is safe for concurrent use.
type Backend interface {
	Get(key []byte) ([]byte, bool)
	NewPrefixIterator(prefix []byte) Iterator
	NewWriteTransaction() WriteTransaction
}

// Memory is a Backend.
type Memory struct {
	mut  sync.RWMutex
	data map[string][]byte
}

// NewMemory returns an empty backend.
func NewMemory() *Memory { return &Memory{data: make(map[string][]byte)} }

// Get implements Backend.
func (m *Memory) Get(key []byte) ([]byte, bool) {
	m.mut.RLock()
	defer m.mut.RUnlock()
	v, ok := m.data[string(key)]
	return v, ok
}

func (m *Memory) snapshot() map[string][]byte {
	m.mut.RLock()
	defer m.mut.RUnlock()
	return maps.Clone(m.data)
}

type iterator struct {
	data map[string][]byte
	keys []string
	pos  int
}

func iterate(data map[string][]byte, prefix []byte) *iterator {
	it := &iterator{data: data, pos: -1}
	for k := range data {
		if bytes.HasPrefix([]byte(k), prefix) {
			it.keys = append(it.keys, k)
		}
	}
	slices.Sort(it.keys)
	return it
}

func (it *iterator) Next() bool    { it.pos++; return it.pos < len(it.keys) }
func (it *iterator) Key() []byte   { return []byte(it.keys[it.pos]) }
func (it *iterator) Value() []byte { return it.data[it.keys[it.pos]] }
func (it *iterator) Release()      { it.data, it.keys = nil, nil }

// NewPrefixIterator implements Backend.
func (m *Memory) NewPrefixIterator(prefix []byte) Iterator {
	return iterate(m.snapshot(), prefix)
}

type transaction struct {
	m    *Memory
	snap map[string][]byte
	puts map[string][]byte
	dels map[string]bool
}

// NewWriteTransaction implements Backend.
func (m *Memory) NewWriteTransaction() WriteTransaction {
	return &transaction{m: m, snap: m.snapshot(), puts: make(map[string][]byte), dels: make(map[string]bool)}
}

func (t *transaction) Put(key, val []byte) { t.puts[string(key)] = val }
func (t *transaction) Delete(key []byte)   { t.dels[string(key)] = true }
func (t *transaction) Release()            { t.snap = nil }

func (t *transaction) NewPrefixIterator(prefix []byte) Iterator {
	return iterate(t.snap, prefix)
}

func (t *transaction) Commit() error {
	t.m.mut.Lock()
	defer t.m.mut.Unlock()
	for k := range t.dels {
		delete(t.m.data, k)
	}
	maps.Copy(t.m.data, t.puts)
	return nil
}
