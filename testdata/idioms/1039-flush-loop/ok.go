// Package logship buffers log lines on their way to a collector.
package logship

import (
	"errors"
	"io"
	"sync"
)

var (
	ErrTooLarge = errors.New("logship: line is larger than the buffer")
	ErrClosed   = errors.New("logship: closed")
)

// Buffer collects lines and writes them in large chunks, in order. Lines may
// be added while a chunk is being written.
type Buffer struct {
	w     io.Writer
	limit int

	mu       sync.Mutex
	cond     *sync.Cond
	buf      []byte
	spare    []byte
	flushing bool
	closed   bool
	err      error // first error of w, sticks
}

func NewBuffer(w io.Writer, limit int) *Buffer {
	b := &Buffer{w: w, limit: limit}
	b.cond = sync.NewCond(&b.mu)
	return b
}

// Write adds a line; it waits while the buffer is full.
func (b *Buffer) Write(line []byte) (int, error) {
	if len(line) > b.limit {
		return 0, ErrTooLarge
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.err == nil && !b.closed && len(b.buf)+len(line) > b.limit {
		b.flushLocked()
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.closed {
		return 0, ErrClosed
	}
	b.buf = append(b.buf, line...)
	return len(line), nil
}

// flushLocked writes what is buffered, or waits until the chunk that is being
// written is out. It releases the lock meanwhile.
func (b *Buffer) flushLocked() {
	if b.flushing {
		b.cond.Wait()
		return
	}
	if len(b.buf) == 0 {
		return
	}
	chunk := b.buf
	b.buf = b.spare[:0]
	b.flushing = true
	b.mu.Unlock()

	_, err := b.w.Write(chunk)

	b.mu.Lock()
	b.spare = chunk
	b.flushing = false
	if err != nil && b.err == nil {
		b.err = err
	}
	b.cond.Broadcast()
}

// Flush writes until the buffer is empty.
func (b *Buffer) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.drainLocked()
}

func (b *Buffer) drainLocked() error {
	for b.err == nil && (b.flushing || len(b.buf) > 0) {
		b.flushLocked()
	}
	return b.err
}

// Close refuses further lines and writes the rest.
func (b *Buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.drainLocked()
}
