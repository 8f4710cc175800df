// Package autoscale runs a pool of workers whose size follows the load.
package autoscale

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by a pool that has been closed.
var ErrClosed = errors.New("autoscale: pool is closed")

// Task is a unit of work.
type Task func(ctx context.Context)

type worker struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// Pool runs tasks.
type Pool struct {
	tasks  chan Task
	warmUp func(ctx context.Context) error
	busy   atomic.Int64

	scale sync.Mutex // serializes Resize, Close and what they call

	mu      sync.Mutex // guards the fields below
	workers []*worker
	closed  bool
	resized time.Time
}

// NewPool returns a pool without workers. The warmUp function is called for
// each worker before it starts and may take a while.
func NewPool(backlog int, warmUp func(context.Context) error) *Pool {
	return &Pool{tasks: make(chan Task, backlog), warmUp: warmUp}
}

// Size is the number of workers.
func (p *Pool) Size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.workers)
}

// Status describes the pool.
func (p *Pool) Status() (size int, busy int64, resized time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.workers), p.busy.Load(), p.resized
}

// Submit queues a task.
func (p *Pool) Submit(ctx context.Context, t Task) error {
	select {
	case p.tasks <- t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

func (p *Pool) start() *worker {
	ctx, cancel := context.WithCancel(context.Background())
	w := &worker{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for {
			select {
			case <-ctx.Done():
				return
			case t := <-p.tasks:
				p.busy.Add(1)
				t(ctx)
				p.busy.Add(-1)
			}
		}
	}()
	return w
}

// Resize brings the pool to n workers. Workers that are not needed finish
// their task first.
func (p *Pool) Resize(ctx context.Context, n int) error {
	p.scale.Lock()
	defer p.scale.Unlock()
	if p.isClosed() {
		return ErrClosed
	}
	n = max(n, 0)
	for p.Size() < n {
		if err := p.warmUp(ctx); err != nil {
			return err
		}
		w := p.start()
		p.mu.Lock()
		p.workers = append(p.workers, w)
		p.resized = time.Now()
		p.mu.Unlock()
	}
	if size := p.Size(); size > n {
		p.shrink(size - n)
	}
	return nil
}

// shrink stops k workers. The caller holds scale.
func (p *Pool) shrink(k int) {
	p.mu.Lock()
	keep := len(p.workers) - k
	victims := append([]*worker(nil), p.workers[keep:]...)
	p.mu.Unlock()

	for _, w := range victims {
		w.cancel()
	}
	for _, w := range victims {
		<-w.done
	}

	p.mu.Lock()
	p.workers = p.workers[:keep]
	p.resized = time.Now()
	p.mu.Unlock()
}

// Close stops all workers. Tasks that are still queued are not run.
func (p *Pool) Close() {
	p.scale.Lock()
	defer p.scale.Unlock()
	if p.isClosed() {
		return
	}
	p.shrink(p.Size())
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
}
