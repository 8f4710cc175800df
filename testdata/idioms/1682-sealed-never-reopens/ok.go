// Package a counts the ballots of a polling station.
package a

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrSealed = errors.New("ballot box is sealed")
	ErrOpen   = errors.New("ballot box is still open")
)

// Box collects votes until it is sealed. A sealed box stays sealed.
type Box struct {
	station string

	mu     sync.Mutex
	sealed bool
	votes  map[string]int
	voters map[string]struct{}
	spoilt int
}

// NewBox returns an open box for the given candidates.
func NewBox(station string, candidates ...string) *Box {
	b := &Box{station: station, votes: make(map[string]int), voters: make(map[string]struct{})}
	for _, c := range candidates {
		b.votes[c] = 0
	}
	return b
}

// Cast puts in the ballot of a voter. A ballot for nobody on the list is
// counted as spoilt.
func (b *Box) Cast(voter, candidate string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed {
		return ErrSealed
	}
	if _, dup := b.voters[voter]; dup {
		return fmt.Errorf("%s has voted", voter)
	}
	b.voters[voter] = struct{}{}
	if _, ok := b.votes[candidate]; !ok {
		b.spoilt++
		return nil
	}
	b.votes[candidate]++
	return nil
}

// Seal ends the vote.
func (b *Box) Seal() {
	b.mu.Lock()
	b.sealed = true
	b.mu.Unlock()
}

// Sealed reports whether the vote has ended.
func (b *Box) Sealed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sealed
}

// Votes returns the ballots for a candidate.
func (b *Box) Votes(candidate string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.votes[candidate]
}

// Turnout returns the number of ballots and how many of them are spoilt.
func (b *Box) Turnout() (ballots, spoilt int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.voters), b.spoilt
}

// Share returns the percentage of the valid ballots a candidate has got.
// There is no share before the box is sealed.
func (b *Box) Share(candidate string) (float64, error) {
	if !b.Sealed() {
		return 0, fmt.Errorf("station %s: %w", b.station, ErrOpen)
	}
	ballots, spoilt := b.Turnout()
	if ballots == spoilt {
		return 0, nil
	}
	return 100 * float64(b.Votes(candidate)) / float64(ballots-spoilt), nil
}
