// Package a writes segments of an event stream.
package a

import (
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
)

var (
	ErrClosed = errors.New("segment: closed")
	ErrEmpty  = errors.New("segment: empty event")
)

// Segment is a file of events.
type Segment interface {
	Append(p []byte) error
	Close() error
}

// Store creates segments.
type Store interface {
	Create(first uint64) (Segment, error)
}

// Writer appends events and rotates the segments.
type Writer struct {
	store   Store
	maxSize int64

	mu     sync.Mutex
	seg    Segment
	next   uint64
	closed bool

	size      atomic.Int64 // of seg; written under mu
	rotations atomic.Int64
	failures  atomic.Int64
}

// NewWriter opens the first segment.
func NewWriter(s Store, maxSize int64) (*Writer, error) {
	seg, err := s.Create(0)
	if err != nil {
		return nil, err
	}
	return &Writer{store: s, maxSize: maxSize, seg: seg}, nil
}

// Append writes an event and returns its sequence number.
func (w *Writer) Append(p []byte) (uint64, error) {
	if len(p) == 0 {
		return 0, ErrEmpty
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, ErrClosed
	}
	if err := w.seg.Append(p); err != nil {
		w.failures.Add(1)
		return 0, fmt.Errorf("segment: append: %w", err)
	}
	seq := w.next
	w.next++
	w.size.Add(int64(len(p)))
	return seq, nil
}

// Maintain is called often, by any number of goroutines; mostly there is
// nothing to do and the lock is left alone.
func (w *Writer) Maintain() error {
	if w.size.Load() < w.maxSize {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.size.Load() < w.maxSize {
		return nil
	}
	return w.rotate()
}

// Rotate starts a new segment if the current one has events.
func (w *Writer) Rotate() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	if w.size.Load() == 0 {
		return nil
	}
	return w.rotate()
}

// rotate replaces the segment; the lock is held.
func (w *Writer) rotate() error {
	seg, err := w.store.Create(w.next)
	if err != nil {
		w.failures.Add(1)
		return fmt.Errorf("segment: create %d: %w", w.next, err)
	}
	old := w.seg
	w.seg = seg
	w.size.Store(0)
	w.rotations.Add(1)
	if err := old.Close(); err != nil {
		w.failures.Add(1)
		log.Printf("segment: close before %d: %v", w.next, err)
	}
	return nil
}

// Close ends the writer.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.closed = true
	return w.seg.Close()
}

// Size of the current segment, for metrics.
func (w *Writer) Size() int64 { return w.size.Load() }

// Stats returns the counters.
func (w *Writer) Stats() (rotations, failures int64) {
	return w.rotations.Load(), w.failures.Load()
}
