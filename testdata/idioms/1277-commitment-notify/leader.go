package raft

import (
	"container/list"
	"errors"
	"sort"
	"sync"
	"sync/atomic"
)

// ErrLeadershipLost is returned when a leader fails to commit a log entry
// because it's been deposed in the process.
var ErrLeadershipLost = errors.New("leadership lost while committing log")

// Commitment is used to advance the leader's commit index. The leader and
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

// newCommitment returns a commitment struct that notifies the provided
// channel when log entries have been committed.
func newCommitment(commitCh chan struct{}, voters []string, startIndex uint64) *commitment {
	matchIndexes := make(map[string]uint64)
	for _, server := range voters {
		matchIndexes[server] = 0
	}
	return &commitment{
		commitCh:     commitCh,
		matchIndexes: matchIndexes,
		startIndex:   startIndex,
	}
}

// Called when a new cluster membership configuration is created: it will be
// used to determine commitment from now on.
func (c *commitment) setConfiguration(voters []string) {
	c.Lock()
	defer c.Unlock()
	oldMatchIndexes := c.matchIndexes
	c.matchIndexes = make(map[string]uint64)
	for _, server := range voters {
		c.matchIndexes[server] = oldMatchIndexes[server] // defaults to 0
	}
	c.recalculate()
}

// Called by leader after commitCh is notified
func (c *commitment) getCommitIndex() uint64 {
	c.Lock()
	defer c.Unlock()
	return c.commitIndex
}

// Match is called once a server completes writing entries to disk: either the
// leader has written the new entry or a follower has replied to an
// AppendEntries RPC.
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

type logFuture struct {
	index uint64
	data  []byte
	errCh chan error
}

// leader runs the main loop of a leader.
type leader struct {
	localID     string
	commitIndex atomic.Uint64
	lastIndex   uint64

	applyCh    chan *logFuture
	commitCh   chan struct{}
	commitment *commitment
	inflight   *list.List // list of logFuture in log index order
	apply      func(data []byte)
	shutdownCh chan struct{}
	done       chan struct{}
}

func newLeader(id string, voters []string, apply func([]byte)) *leader {
	commitCh := make(chan struct{}, 1)
	l := &leader{
		localID:    id,
		applyCh:    make(chan *logFuture),
		commitCh:   commitCh,
		commitment: newCommitment(commitCh, voters, 1),
		inflight:   list.New(),
		apply:      apply,
		shutdownCh: make(chan struct{}),
		done:       make(chan struct{}),
	}
	go l.leaderLoop()
	return l
}

// Apply appends a log entry and waits until it is committed.
func (l *leader) Apply(data []byte) error {
	f := &logFuture{data: data, errCh: make(chan error, 1)}
	select {
	case l.applyCh <- f:
		return <-f.errCh
	case <-l.done:
		return ErrLeadershipLost
	}
}

// replicated is called by the replication goroutines of the followers.
func (l *leader) replicated(peer string, lastIndex uint64) {
	l.commitment.match(peer, lastIndex)
}

func (l *leader) leaderLoop() {
	defer func() {
		// Respond to all inflight operations
		for e := l.inflight.Front(); e != nil; e = e.Next() {
			e.Value.(*logFuture).errCh <- ErrLeadershipLost
		}
		close(l.done)
	}()
	for {
		select {
		case f := <-l.applyCh:
			l.lastIndex++
			f.index = l.lastIndex
			l.inflight.PushBack(f)
			l.commitment.match(l.localID, l.lastIndex)

		case <-l.commitCh:
			// Process the newly committed entries
			oldCommitIndex := l.commitIndex.Load()
			commitIndex := l.commitment.getCommitIndex()
			if commitIndex <= oldCommitIndex {
				continue
			}
			l.commitIndex.Store(commitIndex)

			// Pull all inflight logs that are committed off the queue.
			for e := l.inflight.Front(); e != nil; {
				f := e.Value.(*logFuture)
				if f.index > commitIndex {
					break
				}
				next := e.Next()
				l.apply(f.data)
				f.errCh <- nil
				l.inflight.Remove(e)
				e = next
			}

		case <-l.shutdownCh:
			return
		}
	}
}

// CommitIndex is read by the stats.
func (l *leader) CommitIndex() uint64 { return l.commitIndex.Load() }
