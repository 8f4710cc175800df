// Package stream writes sorted runs of keys as tables.
package stream

import (
	"fmt"
	"sync"
)

// KV is a key with its value.
type KV struct {
	Key   string
	Value []byte
}

// Table is a finished run.
type Table struct {
	ID   uint64
	KVs  []KV
	Size int
}

// Writer turns batches of several producers into tables.
type Writer struct {
	throttle *Throttle
	maxSize  int
	save     func(*Table) error

	mu     sync.Mutex
	nextID uint64
	done   []uint64
}

// NewWriter returns a writer that saves at most workers tables at a time.
func NewWriter(workers, maxSize int, save func(*Table) error) *Writer {
	return &Writer{throttle: NewThrottle(workers), maxSize: maxSize, save: save}
}

// Write saves one batch in the background. It may be called from any
// goroutine, until Close.
func (w *Writer) Write(kvs []KV) error {
	t := &Table{KVs: kvs}
	for _, kv := range kvs {
		t.Size += len(kv.Key) + len(kv.Value)
	}
	if t.Size > w.maxSize {
		return fmt.Errorf("batch of %d bytes is too big", t.Size)
	}
	if err := w.throttle.Do(); err != nil {
		return err
	}
	w.mu.Lock()
	w.nextID++
	t.ID = w.nextID
	w.mu.Unlock()
	go w.flush(t)
	return nil
}

func (w *Writer) flush(t *Table) {
	err := w.save(t)
	if err == nil {
		w.mu.Lock()
		w.done = append(w.done, t.ID)
		w.mu.Unlock()
	}
	w.throttle.Done(err)
}

// Close waits for all tables and returns their IDs. Producers that are still
// running get ErrDoAfterFinish.
func (w *Writer) Close() ([]uint64, error) {
	if err := w.throttle.Finish(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done, nil
}
