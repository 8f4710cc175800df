// Package ok advances the commit index of a replicated log.
package ok

import (
	"errors"
	"slices"
	"sync"
)

var errLeadershipLost = errors.New("leadership lost while committing log")

func asyncNotifyCh(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// commitment is used to advance the leader's commit index. The replication
// goroutines report in newly written entries with match(), and this notifies
// on commitCh when the commit index has advanced.
type commitment struct {
	sync.Mutex
	commitCh     chan struct{}
	matchIndexes map[string]uint64
	commitIndex  uint64 // monotonically increases
	startIndex   uint64 // the first index of this leader's term
}

func newCommitment(commitCh chan struct{}, voters []string, startIndex uint64) *commitment {
	c := &commitment{commitCh: commitCh, matchIndexes: make(map[string]uint64), startIndex: startIndex}
	for _, id := range voters {
		c.matchIndexes[id] = 0
	}
	return c
}

func (c *commitment) getCommitIndex() uint64 {
	c.Lock()
	defer c.Unlock()
	return c.commitIndex
}

func (c *commitment) match(server string, matchIndex uint64) {
	c.Lock()
	defer c.Unlock()
	if prev, hasVote := c.matchIndexes[server]; hasVote && matchIndex > prev {
		c.matchIndexes[server] = matchIndex
		c.recalculate()
	}
}

// Must be called with lock held.
func (c *commitment) recalculate() {
	matched := make([]uint64, 0, len(c.matchIndexes))
	for _, idx := range c.matchIndexes {
		matched = append(matched, idx)
	}
	slices.Sort(matched)
	quorum := matched[(len(matched)-1)/2]
	if quorum > c.commitIndex && quorum >= c.startIndex {
		c.commitIndex = quorum
		asyncNotifyCh(c.commitCh)
	}
}

type logFuture struct {
	index uint64
	errCh chan error
}

// Leader commits entries for one term.
type Leader struct {
	id         string
	commitment *commitment
	commitCh   chan struct{}
	applyCh    chan *logFuture
	stepDown   chan struct{}
}

// NewLeader starts the leader loop; lastIndex is the end of the log.
func NewLeader(id string, voters []string, lastIndex uint64) *Leader {
	l := &Leader{
		id:       id,
		commitCh: make(chan struct{}, 1),
		applyCh:  make(chan *logFuture),
		stepDown: make(chan struct{}),
	}
	l.commitment = newCommitment(l.commitCh, voters, lastIndex+1)
	go l.leaderLoop(lastIndex)
	return l
}

// Apply appends an entry and waits until it is committed.
func (l *Leader) Apply() (uint64, error) {
	f := &logFuture{errCh: make(chan error, 1)}
	select {
	case l.applyCh <- f:
		err := <-f.errCh
		return f.index, err
	case <-l.stepDown:
		return 0, errLeadershipLost
	}
}

// Match is called by the replication goroutines.
func (l *Leader) Match(server string, index uint64) { l.commitment.match(server, index) }

// StepDown ends the term. It must be called once.
func (l *Leader) StepDown() { close(l.stepDown) }

func (l *Leader) leaderLoop(lastIndex uint64) {
	var inflight []*logFuture
	defer func() {
		for _, f := range inflight {
			f.errCh <- errLeadershipLost
		}
	}()
	for {
		select {
		case f := <-l.applyCh:
			lastIndex++
			f.index = lastIndex
			inflight = append(inflight, f)
			l.commitment.match(l.id, lastIndex)
		case <-l.commitCh:
			commitIndex := l.commitment.getCommitIndex()
			for len(inflight) > 0 && inflight[0].index <= commitIndex {
				inflight[0].errCh <- nil
				inflight = inflight[1:]
			}
		case <-l.stepDown:
			return
		}
	}
}
