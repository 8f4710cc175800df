package a

import (
	"slices"
	"sync"
)

// commitment tracks how far the log is replicated. The commit index only goes
// up, and every call computes it from all match indexes.
type commitment struct {
	mu         sync.Mutex
	match      map[string]uint64
	startIndex uint64
	commit     uint64
	commitCh   chan struct{}
}

func newCommitment(voters []string, startIndex uint64) *commitment {
	c := &commitment{
		match:      make(map[string]uint64),
		startIndex: startIndex,
		commitCh:   make(chan struct{}, 1),
	}
	for _, v := range voters {
		c.match[v] = 0
	}
	return c
}

// Match is called when a voter is known to have the log up to an index. Calls
// for the same voter may come out of order.
func (c *commitment) Match(voter string, index uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if prev, ok := c.match[voter]; ok && index > prev {
		c.match[voter] = index
		c.recalculate()
	}
}

// recalculate moves the commit index up to what a majority has. The caller
// holds c.mu.
func (c *commitment) recalculate() {
	if len(c.match) == 0 {
		return
	}
	all := make([]uint64, 0, len(c.match))
	for _, i := range c.match {
		all = append(all, i)
	}
	slices.Sort(all)
	quorum := all[(len(all)-1)/2]
	if quorum > c.commit && quorum >= c.startIndex {
		c.commit = quorum
		select {
		case c.commitCh <- struct{}{}:
		default:
		}
	}
}

// SetVoters changes the configuration.
func (c *commitment) SetVoters(voters []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.match
	c.match = make(map[string]uint64, len(voters))
	for _, v := range voters {
		c.match[v] = old[v]
	}
	c.recalculate()
}

func (c *commitment) CommitIndex() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commit
}

// applier runs committed entries through the state machine.
type applier struct {
	commits *commitment
	apply   func(index uint64)

	mu      sync.Mutex
	applied uint64
	moved   *sync.Cond
}

func newApplier(c *commitment, apply func(uint64)) *applier {
	a := &applier{commits: c, apply: apply}
	a.moved = sync.NewCond(&a.mu)
	return a
}

// Run is the only one to apply. A commit index that has moved on after it was
// read has left a token in the channel, for the next round.
func (a *applier) Run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-a.commits.commitCh:
		}
		a.applyUpTo(a.commits.CommitIndex())
	}
}

func (a *applier) applyUpTo(commit uint64) {
	for next := a.Applied() + 1; next <= commit; next++ {
		a.apply(next)
		a.mu.Lock()
		a.applied = next
		a.mu.Unlock()
		a.moved.Broadcast()
	}
}

// Applied tells how far the state machine is.
func (a *applier) Applied() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.applied
}

// WaitApplied returns once the state machine has come to an index.
func (a *applier) WaitApplied(index uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.applied < index {
		a.moved.Wait()
	}
}
