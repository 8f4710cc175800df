package raft

import (
	"sort"
	"sync"
)

type ServerID string

// commitment is used to advance the leader's commit index. The replication
// goroutines report in newly written entries with match(), and
// this notifies on commitCh when the commit index has advanced.
type commitment struct {
	// protects matchIndexes and commitIndex
	sync.Mutex
	// notified when commitIndex increases
	commitCh chan struct{}
	// voter ID to log index: the server stores up through this log entry
	matchIndexes map[ServerID]uint64
	// a quorum stores up through this log entry. monotonically increases.
	commitIndex uint64
	// the first index of this leader's term
	startIndex uint64
}

func newCommitment(commitCh chan struct{}, voters []ServerID, startIndex uint64) *commitment {
	matchIndexes := make(map[ServerID]uint64)
	for _, id := range voters {
		matchIndexes[id] = 0
	}
	return &commitment{
		commitCh:     commitCh,
		matchIndexes: matchIndexes,
		startIndex:   startIndex,
	}
}

// Called by leader after commitCh is notified
func (c *commitment) getCommitIndex() uint64 {
	c.Lock()
	defer c.Unlock()
	return c.commitIndex
}

// match is called once a server completes writing entries to disk.
func (c *commitment) match(server ServerID, matchIndex uint64) {
	c.Lock()
	defer c.Unlock()
	if prev, hasVote := c.matchIndexes[server]; hasVote && matchIndex > prev {
		c.matchIndexes[server] = matchIndex
		c.recalculate()
	}
}

// Internal helper to calculate new commitIndex from matchIndexes.
// Must be called with lock held.
func (c *commitment) recalculate() {
	if len(c.matchIndexes) == 0 {
		return
	}
	matched := make([]uint64, 0, len(c.matchIndexes))
	for _, idx := range c.matchIndexes {
		matched = append(matched, idx)
	}
	sort.Slice(matched, func(i, j int) bool { return matched[i] < matched[j] })
	quorumMatchIndex := matched[(len(matched)-1)/2]

	if quorumMatchIndex > c.commitIndex && quorumMatchIndex >= c.startIndex {
		c.commitIndex = quorumMatchIndex
		asyncNotifyCh(c.commitCh)
	}
}

// asyncNotifyCh is used to do an async channel send to
// a single channel without blocking.
func asyncNotifyCh(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// leader applies what is committed; lastApplied belongs to its loop.
type leader struct {
	commitCh    chan struct{}
	commitment  *commitment
	stopCh      chan struct{}
	lastApplied uint64
	apply       func(index uint64)
}

func newLeader(voters []ServerID, start uint64, apply func(uint64)) *leader {
	l := &leader{commitCh: make(chan struct{}, 1), stopCh: make(chan struct{}), lastApplied: start - 1, apply: apply}
	l.commitment = newCommitment(l.commitCh, voters, start)
	go l.loop()
	return l
}

func (l *leader) loop() {
	for {
		select {
		case <-l.commitCh:
			// Process the newly committed entries
			commitIndex := l.commitment.getCommitIndex()
			for l.lastApplied < commitIndex {
				l.lastApplied++
				l.apply(l.lastApplied)
			}
		case <-l.stopCh:
			return
		}
	}
}
