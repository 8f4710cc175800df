// Package asynclog decouples the writers of a log from the disk: lines are
// queued and written by one goroutine.
package asynclog

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned for lines that come after Close.
var ErrClosed = errors.New("asynclog: closed")

// item is a line, or a request to be told when all lines before it are out.
type item struct {
	line []byte
	ack  chan<- error
}

// Writer is an io.Writer for any number of goroutines.
type Writer struct {
	out     io.Writer
	queue   chan item
	done    chan struct{}
	dropped atomic.Int64
	failed  atomic.Pointer[error] // first write error

	// state is held shared by whoever puts something into the queue, and
	// exclusively to close it. The drain goroutine does not take it.
	state  sync.RWMutex
	closed bool
}

// New returns a writer that queues up to depth lines.
func New(out io.Writer, depth int) *Writer {
	w := &Writer{out: out, queue: make(chan item, depth), done: make(chan struct{})}
	go w.drain()
	return w
}

// Write queues a line. If the queue is full the line is dropped and counted.
func (w *Writer) Write(p []byte) (int, error) {
	w.state.RLock()
	defer w.state.RUnlock()
	if !w.accepting() {
		return 0, ErrClosed
	}
	if !w.offer(item{line: append([]byte(nil), p...)}) {
		w.dropped.Add(1)
	}
	return len(p), nil
}

// Must queues a line that may not be dropped; it waits for room.
func (w *Writer) Must(p []byte) error {
	return w.push(item{line: append([]byte(nil), p...)})
}

// Sync waits until the lines that were queued before are written.
func (w *Writer) Sync() error {
	ack := make(chan error, 1)
	if err := w.push(item{ack: ack}); err != nil {
		return err
	}
	return <-ack
}

func (w *Writer) push(it item) error {
	w.state.RLock()
	defer w.state.RUnlock()
	if !w.accepting() {
		return ErrClosed
	}
	w.queue <- it
	return nil
}

// accepting and offer are called with state held.
func (w *Writer) accepting() bool { return !w.closed }

func (w *Writer) offer(it item) bool {
	select {
	case w.queue <- it:
		return true
	default:
		return false
	}
}

func (w *Writer) drain() {
	defer close(w.done)
	for it := range w.queue {
		if it.ack != nil {
			it.ack <- w.err()
			continue
		}
		if w.failed.Load() != nil {
			w.dropped.Add(1)
			continue
		}
		if _, err := w.out.Write(it.line); err != nil {
			w.failed.Store(&err)
		}
	}
}

func (w *Writer) err() error {
	if p := w.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// Dropped returns the number of lines that were not written.
func (w *Writer) Dropped() int64 { return w.dropped.Load() }

// Close writes what is queued and returns the first write error.
func (w *Writer) Close() error {
	w.state.Lock()
	if w.closed {
		w.state.Unlock()
		return ErrClosed
	}
	w.closed = true
	close(w.queue)
	w.state.Unlock()
	<-w.done
	return w.err()
}
