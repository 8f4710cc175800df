// Package cron fires entries at their times.
package cron

import (
	"context"
	"log"
	"sync"
	"time"
)

// Task is what an entry does.
type Task func(ctx context.Context) error

type entry struct {
	name    string
	every   time.Duration
	task    Task
	next    time.Time
	gen     int
	running bool
	lastErr error
}

type ticket struct {
	name string
	gen  int
}

// Scheduler fires entries in their own goroutines. An entry does not overlap with itself, but a replaced one may still
// be at its last run.
type Scheduler struct {
	mu      sync.Mutex
	entries map[string]*entry
	gen     int
	changed chan struct{}
	now     func() time.Time
}

// New returns an empty scheduler.
func New() *Scheduler {
	return &Scheduler{entries: make(map[string]*entry), changed: make(chan struct{}, 1), now: time.Now}
}

// Set adds or replaces an entry.
func (s *Scheduler) Set(name string, every time.Duration, task Task) {
	s.mu.Lock()
	s.gen++
	e := &entry{name: name, every: every, task: task, next: s.now().Add(every), gen: s.gen}
	s.entries[name] = e
	s.mu.Unlock()
	s.poke()
}

// Delete removes an entry; a run under way is not stopped.
func (s *Scheduler) Delete(name string) {
	s.mu.Lock()
	delete(s.entries, name)
	s.mu.Unlock()
	s.poke()
}

func (s *Scheduler) poke() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *Scheduler) due(at time.Time) []ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ts []ticket
	for _, e := range s.entries {
		if !e.running && !e.next.After(at) {
			ts = append(ts, ticket{e.name, e.gen})
		}
	}
	return ts
}

// claim returns the entry of a ticket when it is still to be fired.
func (s *Scheduler) claim(t ticket, at time.Time) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[t.name]
	if !ok || e.gen != t.gen || e.running || e.next.After(at) {
		return nil
	}
	e.running = true
	e.next = at.Add(e.every)
	return e
}

func (s *Scheduler) done(e *entry, err error) {
	s.mu.Lock()
	e.running = false
	e.lastErr = err
	s.mu.Unlock()
	s.poke()
}

func (s *Scheduler) fire(ctx context.Context, e *entry) {
	err := e.task(ctx)
	if err != nil {
		log.Printf("cron: %s: %v", e.name, err)
	}
	s.done(e, err)
}

// RunDue fires what is due; it may be called besides Run, e.g. by an operator.
func (s *Scheduler) RunDue(ctx context.Context) (n int) {
	at := s.now()
	for _, t := range s.due(at) {
		if e := s.claim(t, at); e != nil {
			n++
			go s.fire(ctx, e)
		}
	}
	return n
}

func (s *Scheduler) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := time.Hour
	now := s.now()
	for _, e := range s.entries {
		if !e.running {
			wait = min(wait, e.next.Sub(now))
		}
	}
	return max(wait, 0)
}

// Run fires entries until ctx is done.
func (s *Scheduler) Run(ctx context.Context) {
	for {
		t := time.NewTimer(s.pause())
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-s.changed:
			t.Stop()
		case <-t.C:
		}
		s.RunDue(ctx)
	}
}

// LastError returns how the last run of an entry ended.
func (s *Scheduler) LastError(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.entries[name]; ok {
		return e.lastErr
	}
	return nil
}
