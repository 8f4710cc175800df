package jobs

import (
	"sync"
	"time"
)

type Status int

const (
	Queued Status = iota
	Running
	Finished
)

type job struct {
	status Status
	lease  time.Time
	worker string
}

// Board hands out jobs to workers and takes back those with an expired lease.
type Board struct {
	mu   sync.Mutex
	jobs map[int]job
	seq  int
	ttl  time.Duration
}

func NewBoard(ttl time.Duration) *Board {
	b := &Board{jobs: make(map[int]job), ttl: ttl}
	go b.reap()
	return b
}

func (b *Board) Add() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	b.jobs[b.seq] = job{}
	return b.seq
}

func (b *Board) take() (int, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, j := range b.jobs {
		if j.status == Queued {
			j.status = Running
			b.jobs[id] = j
			return id, true
		}
	}
	return 0, false
}

// Claim assigns a queued job to the worker.
func (b *Board) Claim(worker string) (id int, ok bool) {
	defer func() {
		if !ok {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		j := b.jobs[id]
		j.lease, j.worker = time.Now().Add(b.ttl), worker
		b.jobs[id] = j
	}()
	return b.take()
}

// Finish reports whether the worker still owned the job.
func (b *Board) Finish(id int, worker string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	j, found := b.jobs[id]
	if !found || j.status != Running || j.worker != worker {
		return false
	}
	b.jobs[id] = job{status: Finished, worker: worker}
	return true
}

func (b *Board) reap() {
	for now := range time.Tick(b.ttl / 4) {
		b.mu.Lock()
		for id, j := range b.jobs {
			if j.status == Running && j.lease.Before(now) {
				b.jobs[id] = job{status: Queued}
			}
		}
		b.mu.Unlock()
	}
}
