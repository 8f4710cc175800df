package raft

import (
	"net"
	"sync"
)

// QuorumPolicy allows individual logFutures to have different
// commitment rules while still using the inflight mechanism
type quorumPolicy interface {
	// Checks if a commit from a given peer is enough to
	// satisfy the commitment rules
	Commit(net.Addr) bool

	// Checks if a commit is committed
	IsCommitted() bool
}

// MajorityQuorum is used by Apply transactions and requires
// a simple majority of nodes
type majorityQuorum struct {
	count       int
	votesNeeded int
}

func newMajorityQuorum(clusterSize int) *majorityQuorum {
	votesNeeded := (clusterSize / 2) + 1
	return &majorityQuorum{count: 0, votesNeeded: votesNeeded}
}

func (m *majorityQuorum) Commit(p net.Addr) bool {
	m.count++
	return m.count >= m.votesNeeded
}

func (m *majorityQuorum) IsCommitted() bool {
	return m.count >= m.votesNeeded
}

type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

type logFuture struct {
	log    Log
	policy quorumPolicy
	errCh  chan error
}

func (d *logFuture) respond(err error) {
	if d.errCh == nil {
		return
	}
	d.errCh <- err
	close(d.errCh)
}

// Inflight is used to track operations that are still in-flight
type inflight struct {
	sync.Mutex
	commitCh   chan *logFuture
	minCommit  uint64
	maxCommit  uint64
	operations map[uint64]*logFuture
	stopCh     chan struct{}
}

// NewInflight returns an inflight struct that notifies
// the provided channel when logs are finished commiting.
func newInflight(commitCh chan *logFuture) *inflight {
	return &inflight{
		commitCh:   commitCh,
		operations: make(map[uint64]*logFuture),
		stopCh:     make(chan struct{}),
	}
}

// Start is used to mark a logFuture as being inflight. It
// also commits the entry, as it is assumed the starter is
// replicating.
func (i *inflight) Start(l *logFuture) {
	i.Lock()
	defer i.Unlock()

	idx := l.log.Index
	i.operations[idx] = l

	if idx > i.maxCommit {
		i.maxCommit = idx
	}
	if i.minCommit == 0 {
		i.minCommit = idx
	}
}

// Cancel is used to cancel all in-flight operations.
// This is done when the leader steps down, and all futures
// are sent the given error.
func (i *inflight) Cancel(err error) {
	// Close the channel first to unblock any pending commits
	close(i.stopCh)

	// Lock after close to avoid deadlock
	i.Lock()
	defer i.Unlock()

	// Respond to all inflight operations
	for _, op := range i.operations {
		op.respond(err)
	}

	// Clear the map
	i.operations = make(map[uint64]*logFuture)

	// Close the commmitCh
	close(i.commitCh)

	// Reset indexes
	i.minCommit = 0
	i.maxCommit = 0
}

// Commit is used by leader replication routines to indicate that
// a follower was finished commiting a log to disk.
func (i *inflight) Commit(index uint64, peer net.Addr) {
	i.Lock()
	defer i.Unlock()

	op, ok := i.operations[index]
	if !ok {
		// Ignore if not in the map, as it may be commited already
		return
	}

	// Check if we've satisfied the commit
	if !op.policy.Commit(peer) || index != i.minCommit {
		return
	}

	// Notify of commit
	for op != nil && op.policy.IsCommitted() {
		select {
		case i.commitCh <- op:
			// Stop tracking since it is committed
			delete(i.operations, index)

			// Update the indexes
			if index == i.maxCommit {
				i.minCommit = 0
				i.maxCommit = 0
				return
			}
			i.minCommit++

		case <-i.stopCh:
			return
		}

		// Check if the next in-flight operation is ready
		index = i.minCommit
		op = i.operations[index]
	}
}

// CommitRange is used to commit a range of indexes inclusively
// It optimized to avoid commits for indexes that are not tracked
func (i *inflight) CommitRange(minIndex, maxIndex uint64, peer net.Addr) {
	i.Lock()
	minInflight := i.minCommit
	i.Unlock()

	// Update the minimum index
	minIndex = max(minInflight, minIndex)

	// Commit each index
	for idx := minIndex; idx <= maxIndex; idx++ {
		i.Commit(idx, peer)
	}
}

type followerReplication struct {
	peer       net.Addr
	inflight   *inflight
	nextIndex  uint64
	matchIndex uint64
}

// handleAppendResponse is called by the replication routine of the peer, with
// the index up to which the peer has stored the log.
func (s *followerReplication) handleAppendResponse(maxIndex uint64) {
	s.inflight.CommitRange(s.nextIndex, maxIndex, s.peer)
	s.matchIndex = maxIndex
	s.nextIndex = maxIndex + 1
}
