// Package cron runs jobs on one of several replicas at a time.
package cron

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrHeld is returned when somebody else has the lease.
var ErrHeld = errors.New("cron: lease is held")

// ErrLost is returned when a lease is no longer ours.
var ErrLost = errors.New("cron: lease lost")

// Lease is the right to run one job.
type Lease struct {
	Job     string
	Owner   string
	Term    uint64
	Expires time.Time
}

type leases map[string]Lease

// Table is shared by the schedulers of all replicas.
type Table struct {
	state chan leases
	ttl   time.Duration
	now   func() time.Time
}

// NewTable returns a table of leases which last ttl.
func NewTable(ttl time.Duration) *Table {
	t := &Table{state: make(chan leases, 1), ttl: ttl, now: time.Now}
	t.state <- make(leases)
	return t
}

func (t *Table) get(job string) (Lease, bool) {
	ls := <-t.state
	defer func() { t.state <- ls }()
	l, ok := ls[job]
	return l, ok
}

func (t *Table) set(l Lease) {
	ls := <-t.state
	ls[l.Job] = l
	t.state <- ls
}

// Acquire takes a lease which is free or has run out.
func (t *Table) Acquire(job, owner string) (Lease, error) {
	ls := <-t.state
	defer func() { t.state <- ls }()
	cur, ok := ls[job]
	if ok && t.now().Before(cur.Expires) {
		return Lease{}, ErrHeld
	}
	next := Lease{Job: job, Owner: owner, Term: cur.Term + 1, Expires: t.now().Add(t.ttl)}
	ls[job] = next
	return next, nil
}

// Renew extends a lease.
func (t *Table) Renew(l Lease) (Lease, error) {
	ls := <-t.state
	defer func() { t.state <- ls }()
	cur, ok := ls[l.Job]
	if !ok || cur.Owner != l.Owner || cur.Term != l.Term {
		return Lease{}, ErrLost
	}
	if !t.now().Before(cur.Expires) {
		return Lease{}, ErrLost
	}
	cur.Expires = t.now().Add(t.ttl)
	ls[l.Job] = cur
	return cur, nil
}

// Release gives a lease back early.
func (t *Table) Release(l Lease) {
	ls := <-t.state
	if cur := ls[l.Job]; cur.Owner == l.Owner && cur.Term == l.Term {
		cur.Expires = time.Time{}
		ls[l.Job] = cur
	}
	t.state <- ls
}

// Holder tells who has the lease of a job, for the status page.
func (t *Table) Holder(job string) string {
	l, ok := t.get(job)
	if !ok || t.now().After(l.Expires) {
		return ""
	}
	return l.Owner
}

// Import seeds the table from a backup before schedulers are started.
func (t *Table) Import(ls []Lease) {
	for _, l := range ls {
		t.set(l)
	}
}

// Scheduler runs jobs of one replica.
type Scheduler struct {
	name  string
	table *Table
	runs  atomic.Int64
	skips atomic.Int64
}

// NewScheduler returns the scheduler of replica name.
func NewScheduler(name string, table *Table) *Scheduler {
	return &Scheduler{name: name, table: table}
}

// Fire runs fn when this replica gets the lease.
func (s *Scheduler) Fire(ctx context.Context, job string, fn func(context.Context) error) error {
	l, err := s.table.Acquire(job, s.name)
	if errors.Is(err, ErrHeld) {
		s.skips.Add(1)
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan Lease, 1)
	go func() { stopped <- s.keep(ctx, cancel, l) }()
	err = fn(ctx)
	cancel()
	s.table.Release(<-stopped)
	s.runs.Add(1)
	return err
}

func (s *Scheduler) keep(ctx context.Context, lost func(), l Lease) Lease {
	tick := time.NewTicker(s.table.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return l
		case <-tick.C:
			next, err := s.table.Renew(l)
			if err != nil {
				lost()
				return l
			}
			l = next
		}
	}
}

// Stats returns how often jobs ran and were skipped.
func (s *Scheduler) Stats() (runs, skips int64) {
	return s.runs.Load(), s.skips.Load()
}
