package raft

import (
	"sort"
	"sync"
)

// commitment is used to advance the leader's commit index. The leader and
// replication goroutines report in newly written entries with match(), and
// this notifies on commitCh when the commit index has advanced.
type commitment struct {
	// protects matchIndexes and commitIndex
	sync.Mutex
	// notified when commitIndex increases
	commitCh chan struct{}
	// voter ID to log index: the server stores up through this log entry
	matchIndexes map[string]uint64
	// a quorum stores up through this log entry. monotonically increases.
	commitIndex uint64
	// the first index of this leader's term: this needs to be replicated to a
	// majority of the cluster before this leader may mark anything committed
	// (per Raft's commitment rule)
	startIndex uint64
}

func newCommitment(commitCh chan struct{}, voters []string, startIndex uint64) *commitment {
	matchIndexes := make(map[string]uint64)
	for _, id := range voters {
		matchIndexes[id] = 0
	}
	return &commitment{commitCh: commitCh, matchIndexes: matchIndexes, startIndex: startIndex}
}

// Called when a new cluster membership configuration is created: it will be
// used to determine commitment from now on.
func (c *commitment) setConfiguration(voters []string) {
	c.Lock()
	defer c.Unlock()
	oldMatchIndexes := c.matchIndexes
	c.matchIndexes = make(map[string]uint64)
	for _, id := range voters {
		c.matchIndexes[id] = oldMatchIndexes[id] // defaults to 0
	}
	c.recalculate()
}

// Called by leader after commitCh is notified
func (c *commitment) getCommitIndex() uint64 {
	c.Lock()
	defer c.Unlock()
	return c.commitIndex
}

// Match is called once a server completes writing entries to disk.
func (c *commitment) match(server string, matchIndex uint64) {
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

// asyncNotifyCh is used to do an async channel send
// to a single channel without blocking.
func asyncNotifyCh(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// leader is the part of a node that is used while it leads.
type leader struct {
	commitCh   chan struct{}
	stepDown   chan struct{}
	commitment *commitment
	applied    uint64
	apply      func(index uint64)
}

func newLeader(voters []string, startIndex uint64, apply func(uint64)) *leader {
	l := &leader{
		commitCh: make(chan struct{}, 1),
		stepDown: make(chan struct{}, 1),
		applied:  startIndex - 1,
		apply:    apply,
	}
	l.commitment = newCommitment(l.commitCh, voters, startIndex)
	return l
}

// replicate reports the acknowledgements of one follower.
func (l *leader) replicate(id string, acks <-chan uint64) {
	for index := range acks {
		l.commitment.match(id, index)
	}
}

// loop is the hot loop for a leader.
func (l *leader) loop() {
	for {
		select {
		case <-l.commitCh:
			// Process the newly committed entries
			commitIndex := l.commitment.getCommitIndex()
			for l.applied < commitIndex {
				l.applied++
				l.apply(l.applied)
			}
		case <-l.stepDown:
			return
		}
	}
}
