// Package a runs the election clock of a consensus group.
package a

import (
	"log"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Voter asks the other members for their votes. It must not block.
type Voter interface {
	RequestVotes(term uint64)
}

// Clock starts an election when the leader was silent for too long.
type Clock struct {
	id    string
	base  time.Duration
	voter Voter

	mu      sync.Mutex
	term    uint64
	leading bool
	stopped bool
	round   uint64 // names the timer that counts
	timer   *time.Timer

	beats     atomic.Int64
	elections atomic.Int64
}

// NewClock returns a clock that is running.
func NewClock(id string, base time.Duration, v Voter) *Clock {
	c := &Clock{id: id, base: base, voter: v}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arm()
	return c
}

// arm replaces the timer; the lock is held.
func (c *Clock) arm() {
	c.disarm()
	round := c.round
	wait := c.base + rand.N(c.base)
	c.timer = time.AfterFunc(wait, func() { c.fired(round) })
}

// disarm makes the current timer meaningless; the lock is held.
func (c *Clock) disarm() {
	c.round++
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// fired runs in the goroutine of the timer.
func (c *Clock) fired(round uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.round != round {
		return
	}
	c.term++
	c.elections.Add(1)
	log.Printf("clock %s: no leader, election in term %d", c.id, c.term)
	c.voter.RequestVotes(c.term)
	c.arm()
}

// Heartbeat is called for each message of a leader. It reports whether the
// leader is accepted.
func (c *Clock) Heartbeat(term uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || term < c.term {
		return false
	}
	c.term, c.leading = term, false
	c.beats.Add(1)
	c.arm()
	return true
}

// Won is called when the votes of term are in.
func (c *Clock) Won(term uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || c.term != term {
		return false
	}
	c.leading = true
	c.disarm()
	return true
}

// Leading reports whether this member leads, and the term.
func (c *Clock) Leading() (bool, uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leading, c.term
}

// Stop ends the clock.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.leading = false
	c.disarm()
}

// Stats returns the counters.
func (c *Clock) Stats() (beats, elections int64) {
	return c.beats.Load(), c.elections.Load()
}
