// Package workers runs tasks on a fixed set of goroutines. Each has a queue of
// its own and takes from the others when that is empty.
package workers

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrStopped is returned by Submit.
var ErrStopped = errors.New("workers: pool is stopped")

// Task is a piece of work.
type Task func()

type queue struct {
	mu    sync.Mutex
	tasks []Task
}

func (q *queue) push(ts ...Task) {
	q.mu.Lock()
	q.tasks = append(q.tasks, ts...)
	q.mu.Unlock()
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.tasks)
}

// pop takes the newest task, or returns nil.
func (q *queue) pop() Task {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.tasks)
	if n == 0 {
		return nil
	}
	t := q.tasks[n-1]
	q.tasks[n-1] = nil
	q.tasks = q.tasks[:n-1]
	return t
}

// half takes the older half of the tasks, rounded up. There may be none.
func (q *queue) half() []Task {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := (len(q.tasks) + 1) / 2
	ts := slices.Clone(q.tasks[:n])
	q.tasks = slices.Delete(q.tasks, 0, n)
	return ts
}

// Pool is safe for concurrent use.
type Pool struct {
	queues []*queue
	turn   atomic.Uint32
	wake   chan struct{}
	stop   chan struct{}
	wg     sync.WaitGroup

	mu      sync.RWMutex
	stopped bool
}

// New starts a pool of n workers.
func New(n int) *Pool {
	p := &Pool{wake: make(chan struct{}, n), stop: make(chan struct{})}
	for range n {
		p.queues = append(p.queues, new(queue))
	}
	for _, q := range p.queues {
		p.wg.Go(func() { p.work(q) })
	}
	return p
}

// Submit queues a task.
func (p *Pool) Submit(t Task) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.stopped {
		return ErrStopped
	}
	p.queues[p.turn.Add(1)%uint32(len(p.queues))].push(t)
	p.signal()
	return nil
}

// Stop runs what has been submitted and returns when it is done.
func (p *Pool) Stop() {
	p.mu.Lock()
	if !p.stopped {
		p.stopped = true
		close(p.stop)
	}
	p.mu.Unlock()
	p.wg.Wait()
}

func (p *Pool) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Pool) work(own *queue) {
	for {
		p.drain(own)
		select {
		case <-p.wake:
		case <-p.stop:
			p.drain(own)
			return
		}
	}
}

// drain runs tasks until there seem to be no more.
func (p *Pool) drain(own *queue) {
	for {
		if t := own.pop(); t != nil {
			t()
			continue
		}
		victim := p.busiest()
		if victim == nil {
			return
		}
		if ts := victim.half(); len(ts) > 0 {
			own.push(ts...)
			p.signal()
		}
	}
}

// busiest returns the longest queue, or nil if all are empty.
func (p *Pool) busiest() (best *queue) {
	most := 0
	for _, q := range p.queues {
		if n := q.size(); n > most {
			best, most = q, n
		}
	}
	return best
}
