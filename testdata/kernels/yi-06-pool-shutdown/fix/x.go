// Package pool runs tasks of the shim on a fixed number of workers.
package pool

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned for tasks that come after Shutdown.
var ErrClosed = errors.New("pool: closed")

// Task is a unit of work.
type Task func()

type state int

const (
	running state = iota
	draining
	stopped
)

// Pool is a set of workers.
type Pool struct {
	tasks   chan Task
	quit    chan struct{}
	workers sync.WaitGroup

	mu       sync.Mutex
	idle     *sync.Cond
	state    state
	inflight int
}

// New starts n workers.
func New(n int) *Pool {
	p := &Pool{tasks: make(chan Task), quit: make(chan struct{})}
	p.idle = sync.NewCond(&p.mu)
	for range n {
		p.workers.Add(1)
		go p.work()
	}
	return p
}

func (p *Pool) work() {
	defer p.workers.Done()
	for {
		select {
		case t := <-p.tasks:
			p.run(t)
		case <-p.quit:
			return
		}
	}
}

func (p *Pool) run(t Task) {
	defer p.taskDone()
	t()
}

func (p *Pool) taskDone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inflight--
	if p.inflight == 0 {
		p.idle.Broadcast()
	}
}

// Submit hands a task to a worker. It waits for a free one.
func (p *Pool) Submit(ctx context.Context, t Task) error {
	p.mu.Lock()
	if p.state != running {
		p.mu.Unlock()
		return ErrClosed
	}
	p.inflight++
	p.mu.Unlock()

	select {
	case p.tasks <- t:
		return nil
	case <-ctx.Done():
		p.taskDone()
		return ctx.Err()
	}
}

// Inflight returns the number of tasks accepted and not finished.
func (p *Pool) Inflight() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inflight
}

func (p *Pool) drain() {
	p.mu.Lock()
	for p.inflight > 0 {
		p.idle.Wait()
	}
	p.mu.Unlock()
}

// Shutdown refuses new tasks, waits for the accepted ones and ends the
// workers. It is called from the signal handler and from the Shutdown RPC.
func (p *Pool) Shutdown() {
	p.mu.Lock()
	if p.state == stopped {
		p.mu.Unlock()
		return
	}
	p.state = draining
	p.mu.Unlock()

	p.drain()

	p.mu.Lock()
	if p.state != stopped {
		p.state = stopped
		close(p.quit)
	}
	p.mu.Unlock()
	p.workers.Wait()
}
