package a

import (
	"context"
	"sync"
	"sync/atomic"
)

// Event represents a one-time event that may occur in the future.
type Event struct {
	fired atomic.Bool
	c     chan struct{}
}

// NewEvent returns a new, ready-to-use Event.
func NewEvent() *Event { return &Event{c: make(chan struct{})} }

// Fire causes e to complete. It is safe to call multiple times, and
// concurrently. It returns true iff this call caused the event.
func (e *Event) Fire() bool {
	if e.fired.CompareAndSwap(false, true) {
		close(e.c)
		return true
	}
	return false
}

// Done returns a channel that will be closed when Fire is called.
func (e *Event) Done() <-chan struct{} { return e.c }

// HasFired returns true if Fire has been called.
func (e *Event) HasFired() bool { return e.fired.Load() }

// Worker runs a function until it is stopped.
type Worker struct {
	quit *Event
	mu   sync.Mutex
	wg   sync.WaitGroup
}

func NewWorker() *Worker { return &Worker{quit: NewEvent()} }

// Go starts f unless the worker is stopped.
func (w *Worker) Go(f func(ctx context.Context)) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.quit.HasFired() {
		return false
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.wg.Add(2)
	go func() {
		defer w.wg.Done()
		select {
		case <-w.quit.Done():
		case <-ctx.Done():
		}
		cancel()
	}()
	go func() {
		defer w.wg.Done()
		defer cancel()
		f(ctx)
	}()
	return true
}

// Stop cancels the running functions and waits for them.
func (w *Worker) Stop() {
	w.mu.Lock()
	w.quit.Fire()
	w.mu.Unlock()
	w.wg.Wait()
}
