// Package a writes the audit trail of a back office to its archive.
package a

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned for entries that come after Close.
var ErrClosed = errors.New("audit: trail is closed")

// Entry says who did what.
type Entry struct {
	At    time.Time
	Actor string
	What  string
}

// Archive takes entries in batches. It must not fail; it has its own retries.
type Archive interface {
	Append(batch []Entry)
}

// Trail collects entries and has one goroutine write them.
type Trail struct {
	archive Archive
	wake    chan struct{} // holds one token: there may be entries
	stop    chan struct{}
	done    chan struct{}
	written atomic.Int64

	mu      sync.Mutex
	closed  bool
	pending []Entry
}

// NewTrail returns a trail whose writer is running.
func NewTrail(archive Archive) *Trail {
	t := &Trail{
		archive: archive,
		wake:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	go t.write()
	return t
}

// Log adds an entry.
func (t *Trail) Log(actor, what string) error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return ErrClosed
	}
	t.pending = append(t.pending, Entry{At: time.Now(), Actor: actor, What: what})
	t.mu.Unlock()

	select {
	case t.wake <- struct{}{}:
	default: // a token is there already
	}
	return nil
}

func (t *Trail) take() []Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.pending
	t.pending = nil
	return out
}

// flush writes what is pending; only the writer calls it.
func (t *Trail) flush() {
	batch := t.take()
	if len(batch) == 0 {
		return
	}
	t.archive.Append(batch)
	t.written.Add(int64(len(batch)))
}

func (t *Trail) write() {
	defer close(t.done)
	for {
		t.flush()
		select {
		case <-t.wake:
		case <-t.stop:
			t.flush()
			return
		}
	}
}

// Close refuses further entries and waits until all others are written.
func (t *Trail) Close() {
	t.mu.Lock()
	first := !t.closed
	t.closed = true
	t.mu.Unlock()
	if first {
		close(t.stop)
	}
	<-t.done
}

// Written returns the number of entries in the archive.
func (t *Trail) Written() int64 { return t.written.Load() }
