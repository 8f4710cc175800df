// Package bug elects one of several processes by a lease in a shared store.
package bug

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	// ErrNoLease is returned by a store without a lease.
	ErrNoLease  = errors.New("lease not found")
	errConflict = errors.New("lease was changed")
)

// Lease says who leads, and for how long after it was renewed.
type Lease struct {
	Holder  string
	TTL     time.Duration
	Terms   int
	Version uint64
}

// Store is the place where the lease is kept.
type Store struct {
	mu    sync.Mutex
	lease *Lease
}

// Get returns the lease.
func (s *Store) Get(ctx context.Context) (Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease == nil {
		return Lease{}, ErrNoLease
	}
	return *s.lease, ctx.Err()
}

// Put replaces the lease if it still has the version of l.
func (s *Store) Put(ctx context.Context, l Lease) (Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var have uint64
	if s.lease != nil {
		have = s.lease.Version
	}
	if have != l.Version {
		return Lease{}, errConflict
	}
	l.Version++
	s.lease = &l
	return l, ctx.Err()
}

// Candidate takes part in the election.
type Candidate struct {
	id     string
	ttl    time.Duration
	period time.Duration
	store  *Store

	mu     sync.Mutex
	seen   Lease
	seenAt time.Time
}

// NewCandidate returns a candidate; Run makes it take part.
func NewCandidate(id string, ttl, period time.Duration, s *Store) *Candidate {
	return &Candidate{id: id, ttl: ttl, period: period, store: s}
}

func (c *Candidate) observe(l Lease, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = l
	c.seenAt = now
}

func (c *Candidate) lastLease() Lease {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

func (c *Candidate) lastSeen() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seenAt
}

// Leads reports whether the candidate holds the lease it has seen last.
func (c *Candidate) Leads() bool { return c.lastLease().Holder == c.id }

// Leader returns the holder of the lease.
func (c *Candidate) Leader() string { return c.lastLease().Holder }

// Current reports whether the lease that was seen last is still running. It
// is called by the election and by request handlers, which turn requests
// away while there is no leader.
func (c *Candidate) Current(now time.Time) bool {
	return c.lastSeen().Add(c.lastLease().TTL).After(now)
}

// Run tries to get or keep the lease until ctx ends.
func (c *Candidate) Run(ctx context.Context) {
	t := time.NewTicker(c.period)
	defer t.Stop()
	for {
		c.try(ctx, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

func (c *Candidate) try(ctx context.Context, now time.Time) bool {
	mine := Lease{Holder: c.id, TTL: c.ttl}
	old, err := c.store.Get(ctx)
	switch {
	case errors.Is(err, ErrNoLease):
	case err != nil:
		return false
	default:
		if old != c.lastLease() {
			c.observe(old, now)
		}
		if old.Holder != c.id && old.Holder != "" && c.Current(now) {
			return false
		}
		mine.Version = old.Version
		mine.Terms = old.Terms
		if old.Holder != c.id {
			mine.Terms++
		}
	}
	got, err := c.store.Put(ctx, mine)
	if err != nil {
		return false
	}
	c.observe(got, now)
	return true
}
