package a

import (
	"errors"
	"sync"
)

// ErrConflict is returned when a key is changed all the time.
var ErrConflict = errors.New("kv: too many conflicts")

// Entry is a value with the index of its last change.
type Entry struct {
	Value string
	Index uint64
}

// KV is a small key-value store.
type KV struct {
	mu    sync.Mutex
	index uint64
	data  map[string]Entry
}

// NewKV returns an empty store.
func NewKV() *KV {
	return &KV{data: make(map[string]Entry)}
}

// Get returns the entry under key; a missing key has index 0.
func (kv *KV) Get(key string) Entry {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	return kv.data[key]
}

// CAS stores value if the key's index is still the given one.
func (kv *KV) CAS(key, value string, index uint64) bool {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.data[key].Index != index {
		return false
	}
	kv.index++
	kv.data[key] = Entry{Value: value, Index: kv.index}
	return true
}

// Delete removes the key.
func (kv *KV) Delete(key string) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	delete(kv.data, key)
}

// Update replaces the value under key by f of it.
func (kv *KV) Update(key string, f func(old string) (string, error)) error {
	for range 32 {
		e := kv.Get(key)
		next, err := f(e.Value)
		if err != nil {
			return err
		}
		if kv.CAS(key, next, e.Index) {
			return nil
		}
	}
	return ErrConflict
}
