package a

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
)

// Sink is the slow store behind the buffer.
type Sink interface {
	Write(ctx context.Context, key string, value []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
}

// record is a value that is not yet in the sink.
type record struct {
	key   string
	value []byte
	seq   uint64
}

// Buffer is a write-behind buffer: Put returns at once and Flush carries
// the last value of each key to the sink.
type Buffer struct {
	sink Sink

	// flushMu lets one flush run at a time.
	flushMu sync.Mutex

	mu    sync.Mutex
	dirty map[string]record
	seq   uint64
}

// NewBuffer makes an empty buffer in front of sink.
func NewBuffer(sink Sink) *Buffer {
	return &Buffer{sink: sink, dirty: make(map[string]record)}
}

// Put remembers a value. The buffer keeps the slice.
func (b *Buffer) Put(key string, value []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	b.dirty[key] = record{key: key, value: value, seq: b.seq}
}

// Get returns the last value that was put.
func (b *Buffer) Get(ctx context.Context, key string) ([]byte, error) {
	b.mu.Lock()
	r, ok := b.dirty[key]
	b.mu.Unlock()
	if ok {
		return r.value, nil
	}
	return b.sink.Read(ctx, key)
}

// pending lists the unwritten values, oldest first.
func (b *Buffer) pending() []record {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]record, 0, len(b.dirty))
	for _, r := range b.dirty {
		out = append(out, r)
	}
	slices.SortFunc(out, func(x, y record) int { return cmp.Compare(x.seq, y.seq) })
	return out
}

// Flush writes what is pending and returns the number of values written.
// Values stay readable in the buffer until the sink has them.
func (b *Buffer) Flush(ctx context.Context) (int, error) {
	b.flushMu.Lock()
	defer b.flushMu.Unlock()
	n := 0
	for _, r := range b.pending() {
		if err := b.sink.Write(ctx, r.key, r.value); err != nil {
			return n, fmt.Errorf("flush %q: %w", r.key, err)
		}
		b.mu.Lock()
		delete(b.dirty, r.key)
		b.mu.Unlock()
		n++
	}
	return n, nil
}

// Len says how many values are waiting.
func (b *Buffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.dirty)
}
