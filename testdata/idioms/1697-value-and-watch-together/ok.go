// Package a publishes a leader and lets others wait for changes.
package a

import (
	"context"
	"sync"
)

// Election knows the current leader.
type Election struct {
	mu      sync.Mutex
	leader  string
	term    uint64
	changed chan struct{}
}

func NewElection() *Election {
	return &Election{changed: make(chan struct{})}
}

// observe returns the state and a channel that the next change closes.
func (e *Election) observe() (leader string, term uint64, next <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.leader, e.term, e.changed
}

// SetLeader starts a new term.
func (e *Election) SetLeader(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leader = name
	e.term++
	close(e.changed)
	e.changed = make(chan struct{})
}

// Leader returns the current leader and term.
func (e *Election) Leader() (string, uint64) {
	leader, term, _ := e.observe()
	return leader, term
}

// WaitTerm returns once there is a term after the given one.
func (e *Election) WaitTerm(ctx context.Context, after uint64) (string, uint64, error) {
	for {
		leader, term, next := e.observe()
		if term > after {
			return leader, term, nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return "", 0, ctx.Err()
		}
	}
}

// Follow calls fn with the leaders of later and later terms.
func (e *Election) Follow(ctx context.Context, fn func(leader string, term uint64)) error {
	var last uint64
	for {
		leader, term, err := e.WaitTerm(ctx, last)
		if err != nil {
			return err
		}
		fn(leader, term)
		last = term
	}
}
