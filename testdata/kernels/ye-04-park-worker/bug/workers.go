// Package workers is the small executor of the thumbnail service. It keeps a
// fixed number of goroutines; a worker without work parks and is woken by the
// next submission.
package workers

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
)

// ErrStopped is returned by Submit after Stop.
var ErrStopped = errors.New("workers: stopped")

// Task is a unit of work. Name is used in logs only.
type Task struct {
	Name string
	Run  func() error
}

// worker is one goroutine. wake has room for one token, and a token is sent
// only by whoever took the worker off the parked list.
type worker struct {
	id   int
	wake chan struct{}
}

// Pool runs tasks in the order they were submitted. Its methods may be called
// from any goroutine.
type Pool struct {
	log    *slog.Logger
	failed atomic.Int64
	wg     sync.WaitGroup

	mu      sync.Mutex
	queue   []Task
	parked  []*worker
	stopped bool
}

// New starts a pool of n workers.
func New(n int, log *slog.Logger) *Pool {
	p := &Pool{log: log}
	p.wg.Add(n)
	for i := range n {
		go p.loop(&worker{id: i, wake: make(chan struct{}, 1)})
	}
	return p
}

// Submit queues a task and wakes a parked worker, if there is one.
func (p *Pool) Submit(t Task) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return ErrStopped
	}
	p.queue = append(p.queue, t)
	if n := len(p.parked); n > 0 {
		w := p.parked[n-1]
		p.parked = p.parked[:n-1]
		w.wake <- struct{}{}
	}
	return nil
}

// Backlog returns the number of tasks which wait for a worker.
func (p *Pool) Backlog() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue)
}

// Failed returns the number of tasks that ended with an error.
func (p *Pool) Failed() int64 { return p.failed.Load() }

// Stop refuses further tasks and returns when all accepted ones are done.
func (p *Pool) Stop() {
	p.mu.Lock()
	p.stopped = true
	for _, w := range p.parked {
		w.wake <- struct{}{}
	}
	p.parked = nil
	p.mu.Unlock()
	p.wg.Wait()
}

// next takes the oldest task. With no task left, done tells whether the pool
// is stopped.
func (p *Pool) next() (t Task, ok, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		return Task{}, false, p.stopped
	}
	t = p.queue[0]
	p.queue[0] = Task{}
	p.queue = p.queue[1:]
	return t, true, false
}

// park puts the worker on the parked list and sleeps until it is woken.
func (p *Pool) park(w *worker) {
	p.mu.Lock()
	p.parked = append(p.parked, w)
	p.mu.Unlock()
	<-w.wake
}

func (p *Pool) loop(w *worker) {
	defer p.wg.Done()
	for {
		t, ok, done := p.next()
		switch {
		case ok:
			p.run(w, t)
		case done:
			return
		default:
			p.park(w)
		}
	}
}

// run executes one task and turns a panic into a failure.
func (p *Pool) run(w *worker, t Task) {
	defer func() {
		if v := recover(); v != nil {
			p.fail(w, t, fmt.Errorf("panic: %v", v))
		}
	}()
	if err := t.Run(); err != nil {
		p.fail(w, t, err)
	}
}

func (p *Pool) fail(w *worker, t Task, err error) {
	p.failed.Add(1)
	p.log.Error("task failed", "worker", w.id, "task", t.Name, "err", err)
}
