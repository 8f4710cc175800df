package a

import (
	"context"
	"maps"
	"sync"
)

// Backend is the slow store behind the tally.
type Backend interface {
	Save(ctx context.Context, values map[string]int64) error
	Load(ctx context.Context, key string) (int64, error)
}

// WriteBack keeps the last values of gauges and saves them in bulk. Readers
// always see the last value that was set.
type WriteBack struct {
	backend Backend

	// saving is held during a flush, so that bulks are saved in order.
	saving sync.Mutex

	mu     sync.RWMutex
	dirty  map[string]int64 // set since the last flush began
	inbulk map[string]int64 // being saved; not changed after the swap
}

// NewWriteBack makes an empty buffer.
func NewWriteBack(b Backend) *WriteBack {
	return &WriteBack{backend: b, dirty: make(map[string]int64)}
}

// Set changes a value.
func (w *WriteBack) Set(key string, v int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty[key] = v
}

// buffered looks a key up among the values that may not be saved yet.
func (w *WriteBack) buffered(key string) (int64, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if v, ok := w.dirty[key]; ok {
		return v, true
	}
	v, ok := w.inbulk[key]
	return v, ok
}

// Get returns the last value of a key.
func (w *WriteBack) Get(ctx context.Context, key string) (int64, error) {
	if v, ok := w.buffered(key); ok {
		return v, nil
	}
	return w.backend.Load(ctx, key)
}

// begin takes the dirty values out as the next bulk.
func (w *WriteBack) begin() map[string]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.dirty) == 0 {
		return nil
	}
	w.inbulk = w.dirty
	w.dirty = make(map[string]int64)
	return w.inbulk
}

// finish ends a bulk. If it was not saved its values become dirty again,
// except those that were set anew.
func (w *WriteBack) finish(bulk map[string]int64, saved bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inbulk = nil
	if saved {
		return
	}
	newer := w.dirty
	w.dirty = maps.Clone(bulk)
	maps.Copy(w.dirty, newer)
}

// Flush saves what was set before the call.
func (w *WriteBack) Flush(ctx context.Context) error {
	w.saving.Lock()
	defer w.saving.Unlock()
	bulk := w.begin()
	if bulk == nil {
		return nil
	}
	err := w.backend.Save(ctx, bulk)
	w.finish(bulk, err == nil)
	return err
}

// Pending counts the keys that wait for a flush.
func (w *WriteBack) Pending() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return len(w.dirty)
}
