// Package postings buffers postings in memory and flushes them to segments.
package postings

import (
	"slices"
	"sync"
)

// Reader is an opened segment on disk.
type Reader interface {
	Lookup(term string) []uint64
}

// Writer writes a segment and opens it.
type Writer interface {
	WriteSegment(terms map[string][]uint64) (Reader, error)
}

type memtable struct {
	terms map[string][]uint64
	size  int
}

func newMemtable() *memtable {
	return &memtable{terms: make(map[string][]uint64)}
}

// Buffer is safe for concurrent use.
type Buffer struct {
	writer  Writer
	maxSize int

	mu       sync.RWMutex
	cond     *sync.Cond // on mu, for the flusher
	active   *memtable
	frozen   []*memtable // oldest first, not written any more
	segments []Reader
	closed   bool
	err      error

	done chan struct{}
}

// NewBuffer starts a buffer with one flusher.
func NewBuffer(w Writer, maxSize int) *Buffer {
	b := &Buffer{writer: w, maxSize: maxSize, active: newMemtable(), done: make(chan struct{})}
	b.cond = sync.NewCond(&b.mu)
	go b.flusher()
	return b
}

// Add indexes a document. An error of an earlier flush is sticky.
func (b *Buffer) Add(doc uint64, terms []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	for _, t := range terms {
		b.active.terms[t] = append(b.active.terms[t], doc)
		b.active.size++
	}
	if b.active.size >= b.maxSize {
		b.rotate()
	}
	return nil
}

// rotate hands the active table to the flusher.
func (b *Buffer) rotate() {
	b.frozen = append(b.frozen, b.active)
	b.active = newMemtable()
	b.cond.Signal()
}

// Lookup returns the documents with a term.
func (b *Buffer) Lookup(term string) []uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var out []uint64
	for _, s := range b.segments {
		out = append(out, s.Lookup(term)...)
	}
	for _, m := range b.frozen {
		out = append(out, m.terms[term]...)
	}
	return append(out, b.active.terms[term]...)
}

// oldest waits for a frozen table. It returns nil when there will be none.
func (b *Buffer) oldest() *memtable {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.frozen) == 0 && !b.closed {
		b.cond.Wait()
	}
	if len(b.frozen) == 0 {
		return nil
	}
	return b.frozen[0]
}

func (b *Buffer) install(m *memtable, r Reader) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.segments = append(b.segments, r)
	b.frozen = slices.DeleteFunc(b.frozen, func(x *memtable) bool { return x == m })
}

func (b *Buffer) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

func (b *Buffer) flusher() {
	defer close(b.done)
	for {
		m := b.oldest()
		if m == nil {
			return
		}
		r, err := b.writer.WriteSegment(m.terms)
		if err != nil {
			b.fail(err)
			return
		}
		b.install(m, r)
	}
}

// Close flushes what is left. No Add may be running or follow.
func (b *Buffer) Close() error {
	b.mu.Lock()
	if b.active.size > 0 {
		b.rotate()
	}
	b.closed = true
	b.cond.Signal()
	b.mu.Unlock()
	<-b.done
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.err
}
