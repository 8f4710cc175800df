// Correct: the one-element channel is the real lock. All changes are made by the
// holder of its token; mu only keeps Stats from reading a field while it is being
// written, so the state cannot change between the holder's critical sections.

// Package ok writes to numbered files of limited size.
package ok

import (
	"context"
	"errors"
	"io"
	"sync"
)

var ErrClosed = errors.New("writer closed")

// Writer changes to the next file before one gets too large.
type Writer struct {
	open  func(seq int) (io.WriteCloser, error)
	limit int64
	token chan struct{}

	mu     sync.Mutex
	file   io.WriteCloser
	seq    int
	size   int64
	closed bool
}

func New(limit int64, open func(seq int) (io.WriteCloser, error)) *Writer {
	return &Writer{open: open, limit: limit, token: make(chan struct{}, 1)}
}

func (w *Writer) acquire(ctx context.Context) error {
	select {
	case w.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Writer) release() { <-w.token }

// Write appends b as a whole to one file.
func (w *Writer) Write(ctx context.Context, b []byte) error {
	if err := w.acquire(ctx); err != nil {
		return err
	}
	defer w.release()

	file, size, closed := w.current()
	if closed {
		return ErrClosed
	}
	if file == nil || size > 0 && size+int64(len(b)) > w.limit {
		var err error
		if file, err = w.rotate(file); err != nil {
			return err
		}
	}
	n, err := file.Write(b)
	w.grow(int64(n))
	return err
}

func (w *Writer) current() (io.WriteCloser, int64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file, w.size, w.closed
}

// rotate needs the token.
func (w *Writer) rotate(old io.WriteCloser) (io.WriteCloser, error) {
	seq, _ := w.Stats()
	next, err := w.open(seq + 1)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.file, w.seq, w.size = next, seq+1, 0
	w.mu.Unlock()
	if old != nil {
		err = old.Close()
	}
	return next, err
}

func (w *Writer) grow(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.size += n
}

// Stats returns the number and the size of the current file. It never waits
// for a write.
func (w *Writer) Stats() (seq int, size int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seq, w.size
}

// Close ends writing after the write under way.
func (w *Writer) Close(ctx context.Context) error {
	if err := w.acquire(ctx); err != nil {
		return err
	}
	defer w.release()

	file, _, closed := w.current()
	if closed {
		return ErrClosed
	}
	w.mu.Lock()
	w.file, w.closed = nil, true
	w.mu.Unlock()
	if file == nil {
		return nil
	}
	return file.Close()
}
