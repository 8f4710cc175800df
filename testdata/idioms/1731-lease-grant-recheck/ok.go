package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	errLeaseExists   = errors.New("lease already exists")
	errLeaseNotFound = errors.New("lease not found")
)

// Lease is a grant agreed upon by the cluster. It is not modified.
type Lease struct {
	ID       int64
	Index    uint64
	Deadline time.Time
}

// proposer gets a new lease through consensus; this takes a network round
// trip. A proposal that is not used has no effect but a gap in the log.
type proposer interface {
	Propose(ctx context.Context, id int64) (index uint64, err error)
}

// lessor keeps the leases of this member.
type lessor struct {
	log proposer
	ttl time.Duration

	mu     sync.Mutex
	leases map[int64]*Lease
	closed bool
}

func newLessor(log proposer, ttl time.Duration) *lessor {
	return &lessor{log: log, ttl: ttl, leases: make(map[int64]*Lease)}
}

// admissible tells whether a lease may be put in. The caller holds le.mu.
func (le *lessor) admissible(id int64) error {
	if le.closed {
		return context.Canceled
	}
	if _, ok := le.leases[id]; ok {
		return errLeaseExists
	}
	return nil
}

// Grant makes a lease. Requests that cannot succeed are turned down before
// they cost a proposal.
func (le *lessor) Grant(ctx context.Context, id int64) (*Lease, error) {
	le.mu.Lock()
	err := le.admissible(id)
	le.mu.Unlock()
	if err != nil {
		return nil, err
	}

	index, err := le.log.Propose(ctx, id)
	if err != nil {
		return nil, err
	}
	l := &Lease{ID: id, Index: index, Deadline: time.Now().Add(le.ttl)}

	le.mu.Lock()
	defer le.mu.Unlock()
	if err := le.admissible(id); err != nil {
		return nil, err
	}
	le.leases[id] = l
	return l, nil
}

// Renew replaces a lease that is still there by one with a later deadline.
func (le *lessor) Renew(id int64) (*Lease, error) {
	le.mu.Lock()
	defer le.mu.Unlock()
	old, ok := le.leases[id]
	if !ok || le.closed {
		return nil, errLeaseNotFound
	}
	l := &Lease{ID: id, Index: old.Index, Deadline: time.Now().Add(le.ttl)}
	le.leases[id] = l
	return l, nil
}

// Sweep drops the leases that are over and returns their IDs.
func (le *lessor) Sweep(now time.Time) []int64 {
	le.mu.Lock()
	defer le.mu.Unlock()
	var gone []int64
	for id, l := range le.leases {
		if l.Deadline.Before(now) {
			delete(le.leases, id)
			gone = append(gone, id)
		}
	}
	return gone
}

// Close refuses everything from now on.
func (le *lessor) Close() {
	le.mu.Lock()
	defer le.mu.Unlock()
	le.closed = true
	clear(le.leases)
}
