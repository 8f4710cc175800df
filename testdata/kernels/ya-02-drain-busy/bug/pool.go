// Package jobpool runs background jobs of a web backend on a fixed set of
// workers.
package jobpool

import (
	"errors"
	"log"
	"sync"
	"time"
)

// ErrDraining is returned by Submit once the pool is going down.
var ErrDraining = errors.New("jobpool: draining")

// Job is a unit of background work.
type Job interface {
	Name() string
	Run() error
}

// Stats describes a pool at one instant.
type Stats struct {
	Queued, Busy  int
	Done, Failed  int
	LongestRunFor time.Duration
}

// Pool runs jobs in the order in which they were submitted. Its methods are
// safe for concurrent use.
type Pool struct {
	mu       sync.Mutex
	work     sync.Cond // a job was queued, or draining was set
	idle     sync.Cond // a worker finished a job
	queue    []Job
	busy     int
	draining bool
	done     int
	failed   int
	longest  time.Duration
}

// New starts a pool of n workers.
func New(n int) *Pool {
	p := &Pool{}
	p.work.L = &p.mu
	p.idle.L = &p.mu
	for range n {
		go p.worker()
	}
	return p
}

// Submit queues j.
func (p *Pool) Submit(j Job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.draining {
		return ErrDraining
	}
	p.queue = append(p.queue, j)
	p.work.Signal()
	return nil
}

// Drain refuses new jobs and waits until every accepted job has been run.
// After Drain has returned no job is running and the caller may close what
// the jobs use.
func (p *Pool) Drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draining = true
	p.work.Broadcast()
	for len(p.queue) > 0 || p.busy > 0 {
		p.idle.Wait()
	}
}

// Stats returns the current figures.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		Queued: len(p.queue), Busy: p.busy,
		Done: p.done, Failed: p.failed,
		LongestRunFor: p.longest,
	}
}

func (p *Pool) worker() {
	for {
		j, ok := p.next()
		if !ok {
			return
		}
		p.enter()
		start := time.Now()
		err := j.Run()
		if err != nil {
			log.Printf("jobpool: %s: %v", j.Name(), err)
		}
		p.leave(time.Since(start), err)
	}
}

// next waits for a job and takes it off the queue. It reports false when the
// pool is draining and nothing is left.
func (p *Pool) next() (Job, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 {
		if p.draining {
			return nil, false
		}
		p.work.Wait()
	}
	j := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	return j, true
}

// enter counts the worker as busy.
func (p *Pool) enter() {
	p.mu.Lock()
	p.busy++
	p.mu.Unlock()
}

// leave books the end of a run.
func (p *Pool) leave(took time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.done++
	if err != nil {
		p.failed++
	}
	p.longest = max(p.longest, took)
	p.idle.Broadcast()
}
