// Package ok aggregates state in memory and flushes it in the background.
package ok

import "sync"

// Store is the disk.
type Store interface {
	Get(key string) ([]byte, error)
	WriteBatch(m map[string][]byte) error
}

type buffer struct {
	data  map[string][]byte
	limit int

	done     chan struct{} // closed when the flush is complete
	flushErr error         // written before done is closed
}

func newBuffer(limit int) *buffer {
	return &buffer{data: make(map[string][]byte), limit: limit}
}

// flush persists the frozen buffer. Nobody changes b.data any more.
func (b *buffer) flush(db Store) {
	b.done = make(chan struct{})
	go func() {
		defer close(b.done)
		b.flushErr = db.WriteBatch(b.data)
	}()
}

func (b *buffer) waitFlush() error {
	if b.done == nil {
		return nil
	}
	<-b.done
	return b.flushErr
}

// diskLayer is safe for concurrent use.
type diskLayer struct {
	db Store

	lock   sync.RWMutex
	buffer *buffer // live buffer
	frozen *buffer // frozen buffer waiting to be persisted
}

// Node reads one node.
func (dl *diskLayer) Node(key string) ([]byte, error) {
	dl.lock.RLock()
	defer dl.lock.RUnlock()
	// The live buffer is newer than the frozen one, which is newer than disk.
	for _, b := range []*buffer{dl.buffer, dl.frozen} {
		if b == nil {
			continue
		}
		if v, ok := b.data[key]; ok {
			return v, nil
		}
	}
	return dl.db.Get(key)
}

// commit merges changes into the live buffer and freezes it when it is full.
func (dl *diskLayer) commit(m map[string][]byte) error {
	dl.lock.Lock()
	defer dl.lock.Unlock()
	for k, v := range m {
		dl.buffer.data[k] = v
	}
	if len(dl.buffer.data) < dl.buffer.limit {
		return nil
	}
	// Wait until the previous frozen buffer is fully flushed.
	if dl.frozen != nil {
		if err := dl.frozen.waitFlush(); err != nil {
			return err
		}
	}
	dl.frozen = dl.buffer
	dl.frozen.flush(dl.db)
	dl.buffer = newBuffer(dl.buffer.limit)
	return nil
}

// terminate waits for the last flush.
func (dl *diskLayer) terminate() error {
	dl.lock.Lock()
	defer dl.lock.Unlock()
	if dl.frozen != nil {
		return dl.frozen.waitFlush()
	}
	return nil
}
