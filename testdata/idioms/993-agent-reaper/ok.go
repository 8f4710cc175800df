// Package fleet keeps track of the build agents that are connected to a CI
// server and of the jobs they have been given.
package fleet

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

var (
	ErrUnknownAgent = errors.New("fleet: unknown agent")
	ErrRegistered   = errors.New("fleet: agent already registered")
	ErrBusy         = errors.New("fleet: agent is busy")
	ErrNotYours     = errors.New("fleet: job is not assigned to this agent")
)

type agent struct {
	lastSeen time.Time
	job      string
}

// Fleet is safe for concurrent use.
type Fleet struct {
	timeout time.Duration
	requeue func(job string)

	mu     sync.RWMutex
	agents map[string]*agent
}

// New returns a fleet. Jobs of agents that have not been heard of for timeout
// are handed to requeue.
func New(timeout time.Duration, requeue func(job string)) *Fleet {
	return &Fleet{timeout: timeout, requeue: requeue, agents: make(map[string]*agent)}
}

// Register adds an agent.
func (f *Fleet) Register(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.agents[id]; ok {
		return ErrRegistered
	}
	f.agents[id] = &agent{lastSeen: time.Now()}
	return nil
}

// Heartbeat is called by every agent every few seconds. An agent that gets
// ErrUnknownAgent drops its job and registers again.
func (f *Fleet) Heartbeat(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.agents[id]
	if !ok {
		return ErrUnknownAgent
	}
	a.lastSeen = time.Now()
	return nil
}

// Assign gives a job to an agent.
func (f *Fleet) Assign(id, job string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.agents[id]
	if !ok {
		return ErrUnknownAgent
	}
	if a.job != "" {
		return ErrBusy
	}
	a.job = job
	return nil
}

// Finish records that an agent has completed its job.
func (f *Fleet) Finish(id, job string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.agents[id]
	if !ok {
		return ErrUnknownAgent
	}
	if a.job != job {
		return ErrNotYours
	}
	a.job = ""
	a.lastSeen = time.Now()
	return nil
}

// silent lists the agents that were last heard of before cutoff. Thousands of
// agents are looked at, so heartbeats are let in right afterwards.
func (f *Fleet) silent(cutoff time.Time) []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	var ids []string
	for id, a := range f.agents {
		if a.lastSeen.Before(cutoff) {
			ids = append(ids, id)
		}
	}
	return ids
}

// evict removes an agent if it is still silent, and returns its job.
func (f *Fleet) evict(id string, cutoff time.Time) (job string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, found := f.agents[id]
	if !found || !a.lastSeen.Before(cutoff) {
		return "", false
	}
	delete(f.agents, id)
	return a.job, true
}

// Reap evicts silent agents once.
func (f *Fleet) Reap(now time.Time) {
	cutoff := now.Add(-f.timeout)
	for _, id := range f.silent(cutoff) {
		job, ok := f.evict(id, cutoff)
		if !ok {
			continue
		}
		slog.Warn("fleet: agent evicted", "agent", id, "job", job)
		if job != "" {
			f.requeue(job)
		}
	}
}

// StartReaper evicts silent agents in the background until ctx is done.
func (f *Fleet) StartReaper(ctx context.Context, every time.Duration) {
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				f.Reap(now)
			}
		}
	}()
}
