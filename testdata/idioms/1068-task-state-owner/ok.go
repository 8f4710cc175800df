// Package tasks runs functions in the background and lets a status page follow
// them.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrStopped is returned by Go after Stop.
var ErrStopped = errors.New("tasks: pool stopped")

// State of a task.
type State int32

const (
	Queued State = iota
	Running
	Succeeded
	Failed
	Canceled
)

// Task is the handle of a function given to a pool. Its state is moved on only
// by the worker that took it from the queue.
type Task struct {
	fn     func(context.Context) error
	ctx    context.Context
	cancel context.CancelFunc
	asked  atomic.Bool // to cancel, never taken back
	state  atomic.Int32
	done   chan struct{}
}

// State returns the present state.
func (t *Task) State() State { return State(t.state.Load()) }

// Cancel asks the task to stop. Whether it was in time is told by the state
// once Done is closed.
func (t *Task) Cancel() {
	if t.asked.Load() {
		return
	}
	t.asked.Store(true)
	t.cancel()
}

// Done is closed when the task has reached its final state.
func (t *Task) Done() <-chan struct{} { return t.done }

func (t *Task) advance(from, to State) {
	if s := t.State(); s != from {
		panic(fmt.Sprintf("tasks: state %d, want %d", s, from))
	}
	t.state.Store(int32(to))
}

func (t *Task) execute() {
	defer close(t.done)
	defer t.cancel()
	if t.asked.Load() {
		t.advance(Queued, Canceled)
		return
	}
	t.advance(Queued, Running)
	switch err := t.fn(t.ctx); {
	case err == nil:
		t.advance(Running, Succeeded)
	case t.asked.Load() && errors.Is(err, context.Canceled):
		t.advance(Running, Canceled)
	default:
		t.advance(Running, Failed)
	}
}

// Pool runs tasks on a fixed number of workers.
type Pool struct {
	base context.Context
	wg   sync.WaitGroup

	mu      sync.Mutex
	cond    *sync.Cond
	queue   []*Task
	stopped bool
}

// NewPool starts the workers.
func NewPool(ctx context.Context, workers int) *Pool {
	p := &Pool{base: ctx}
	p.cond = sync.NewCond(&p.mu)
	for range workers {
		p.wg.Go(p.work)
	}
	return p
}

// Go queues fn.
func (p *Pool) Go(fn func(context.Context) error) (*Task, error) {
	t := &Task{fn: fn, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(p.base)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		t.cancel()
		return nil, ErrStopped
	}
	p.queue = append(p.queue, t)
	p.cond.Signal()
	return t, nil
}

func (p *Pool) take() *Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 && !p.stopped {
		p.cond.Wait()
	}
	if len(p.queue) == 0 {
		return nil
	}
	t := p.queue[0]
	p.queue = p.queue[1:]
	return t
}

func (p *Pool) work() {
	for t := p.take(); t != nil; t = p.take() {
		t.execute()
	}
}

// Stop takes no more tasks, runs the queued ones and waits for all.
func (p *Pool) Stop() {
	p.mu.Lock()
	p.stopped = true
	p.cond.Broadcast()
	p.mu.Unlock()
	p.wg.Wait()
}
