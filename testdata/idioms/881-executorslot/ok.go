// Package executor runs CI jobs on a fixed set of virtual machines. A machine
// runs one job at a time and is rebuilt after a number of jobs.
package executor

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Job is one step of a pipeline.
type Job struct {
	ID     string
	Script string
}

// Machines starts and drives virtual machines.
type Machines interface {
	Rebuild(ctx context.Context, name string) error
	Exec(ctx context.Context, name, script string) error
}

// Slot is one machine. The status page reads it while a job runs.
type Slot struct {
	name string

	mu    sync.Mutex
	uses  int    // jobs since the last rebuild
	job   string // running job, "" if none
	since time.Time
}

// Status is a line of the status page.
type Status struct {
	Machine string
	Uses    int
	Job     string
	Since   time.Time
}

func (s *Slot) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{Machine: s.name, Uses: s.uses, Job: s.job, Since: s.since}
}

func (s *Slot) useCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uses
}

func (s *Slot) rebuilt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses = 0
	s.since = time.Now()
}

func (s *Slot) begin(job string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.job = job
	s.since = time.Now()
}

func (s *Slot) end(uses int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.job = ""
	s.uses = uses
	s.since = time.Now()
}

// Pool hands jobs to the slots. It is safe for concurrent use.
type Pool struct {
	machines Machines
	maxUses  int
	slots    []*Slot    // fixed, for the status page
	idle     chan *Slot // slots without a job
}

// NewPool returns a pool of the named machines, which are rebuilt after
// maxUses jobs.
func NewPool(m Machines, maxUses int, names ...string) *Pool {
	p := &Pool{machines: m, maxUses: maxUses, idle: make(chan *Slot, len(names))}
	for _, n := range names {
		s := &Slot{name: n, since: time.Now()}
		p.slots = append(p.slots, s)
		p.idle <- s
	}
	return p
}

// Run waits for an idle machine and runs job on it.
func (p *Pool) Run(ctx context.Context, job Job) error {
	var s *Slot
	select {
	case s = <-p.idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.idle <- s }()

	if s.useCount() >= p.maxUses {
		if err := p.machines.Rebuild(ctx, s.name); err != nil {
			return fmt.Errorf("executor: rebuild %s: %w", s.name, err)
		}
		s.rebuilt()
	}
	uses := s.useCount()
	s.begin(job.ID)
	err := p.machines.Exec(ctx, s.name, job.Script)
	s.end(uses + 1)
	if err != nil {
		return fmt.Errorf("executor: job %s on %s: %w", job.ID, s.name, err)
	}
	return nil
}

// Status returns a line for every machine.
func (p *Pool) Status() []Status {
	out := make([]Status, 0, len(p.slots))
	for _, s := range p.slots {
		out = append(out, s.status())
	}
	return out
}
