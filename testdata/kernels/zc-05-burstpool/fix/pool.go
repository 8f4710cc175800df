// Package burstpool runs jobs on a bounded number of goroutines that come up
// on demand and go away when there is nothing left to do.
package burstpool

import (
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
)

// ErrClosed is returned by Submit after Close.
var ErrClosed = errors.New("burstpool: closed")

// Job is a unit of work, usually one external encoder process.
type Job struct {
	Name string
	Run  func() error
}

// Pool runs at most limit jobs at a time. It is safe for concurrent use.
type Pool struct {
	limit int
	log   *slog.Logger

	mu      sync.Mutex
	drained *sync.Cond
	queue   []Job
	workers int
	failed  int
	closed  bool
}

// New returns a pool that runs at most limit jobs at a time.
func New(limit int, log *slog.Logger) *Pool {
	p := &Pool{limit: max(limit, 1), log: log}
	p.drained = sync.NewCond(&p.mu)
	return p
}

// Submit queues job and brings up a worker for it if the limit allows.
func (p *Pool) Submit(job Job) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	p.queue = append(p.queue, job)
	grow := p.workers < p.limit
	if grow {
		p.workers++
	}
	p.mu.Unlock()
	if grow {
		go p.work()
	}
	return nil
}

// work runs jobs until the queue is empty. The caller has signed the worker
// on.
func (p *Pool) work() {
	for {
		job, ok := p.next()
		if !ok {
			return
		}
		if err := p.run(job); err != nil {
			p.log.Warn("job failed", "job", job.Name, "err", err)
			p.countFailure()
		}
	}
}

// next takes the oldest job. If there is none, the calling worker is signed
// off and must end.
func (p *Pool) next() (Job, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.workers--
		if p.workers == 0 {
			p.drained.Broadcast()
		}
		return Job{}, false
	}
	job := p.queue[0]
	p.queue[0] = Job{}
	p.queue = p.queue[1:]
	return job, true
}

func (p *Pool) run(job Job) (err error) {
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("job panicked", "job", job.Name, "panic", r, "stack", string(debug.Stack()))
			err = errors.New("panic")
		}
	}()
	return job.Run()
}

func (p *Pool) countFailure() {
	p.mu.Lock()
	p.failed++
	p.mu.Unlock()
}

// Stats describes the pool at one moment.
type Stats struct {
	Workers int
	Queued  int
	Failed  int
}

// Stats returns the current figures.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{Workers: p.workers, Queued: len(p.queue), Failed: p.failed}
}

// Close refuses new jobs and waits until the queued ones have run.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for p.workers > 0 || len(p.queue) > 0 {
		p.drained.Wait()
	}
}
