// Package runner runs submitted tasks on a fixed number of workers.
package runner

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrClosed is returned by Submit after Close.
	ErrClosed = errors.New("runner: closed")
	// ErrCanceled is the result of a task that was canceled before it ran.
	ErrCanceled = errors.New("runner: task canceled")
)

const (
	stateQueued int32 = iota
	stateRunning
	stateFinished
	stateCanceled
)

// Task is the handle of a submitted function.
type Task struct {
	fn    func(context.Context) error
	state atomic.Int32
	done  chan struct{}

	mu  sync.Mutex
	err error
}

// begin moves the task from queued to running. It returns false if there is
// nothing to run any more.
func (t *Task) begin() bool {
	return t.state.CompareAndSwap(stateQueued, stateRunning)
}

func (t *Task) finish(state int32, err error) {
	t.mu.Lock()
	t.err = err
	t.mu.Unlock()
	t.state.Store(state)
	close(t.done)
}

// Cancel drops the task if it has not started yet. It reports whether it did;
// if so, the function will never run.
func (t *Task) Cancel() bool {
	if !t.state.CompareAndSwap(stateQueued, stateCanceled) {
		return false
	}
	t.finish(stateCanceled, ErrCanceled)
	return true
}

// Wait waits for the end of the task and returns its error.
func (t *Task) Wait() error {
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Runner owns the workers.
type Runner struct {
	wg sync.WaitGroup

	mu     sync.Mutex
	cond   *sync.Cond
	queue  []*Task
	closed bool
}

// New starts a runner with n workers.
func New(ctx context.Context, n int) *Runner {
	r := &Runner{}
	r.cond = sync.NewCond(&r.mu)
	for range n {
		r.wg.Go(func() { r.work(ctx) })
	}
	return r
}

// Submit queues fn.
func (r *Runner) Submit(fn func(context.Context) error) (*Task, error) {
	t := &Task{fn: fn, done: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	r.queue = append(r.queue, t)
	r.cond.Signal()
	return t, nil
}

func (r *Runner) next() (*Task, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) == 0 {
		if r.closed {
			return nil, false
		}
		r.cond.Wait()
	}
	t := r.queue[0]
	r.queue = r.queue[1:]
	return t, true
}

func (r *Runner) work(ctx context.Context) {
	for {
		t, ok := r.next()
		if !ok {
			return
		}
		if !t.begin() {
			continue
		}
		t.finish(stateFinished, t.fn(ctx))
	}
}

// Close lets the queued tasks finish and stops the workers.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.cond.Broadcast()
	r.mu.Unlock()
	r.wg.Wait()
}
