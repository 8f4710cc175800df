package a

import (
	"sync"
	"sync/atomic"
)

const (
	Follower = iota
	Leader
)

type proposedEntry struct {
	data  []byte
	reply string
}

type ipQueue struct {
	mu    sync.Mutex
	elems []*proposedEntry
}

func (q *ipQueue) push(e *proposedEntry) {
	q.mu.Lock()
	q.elems = append(q.elems, e)
	q.mu.Unlock()
}

func (q *ipQueue) drain() {
	q.mu.Lock()
	q.elems = nil
	q.mu.Unlock()
}

type raft struct {
	sync.RWMutex
	state        atomic.Int32
	prop         *ipQueue
	pindex       uint64
	commit       uint64
	werr         error
	overrunCount uint64
	leader       string
}

const pauseQuorumThreshold = 50000

func (n *raft) State() int32 { return n.state.Load() }

// Lock should be held.
func (n *raft) isLeaderOverrun() bool {
	return n.pindex-n.commit > pauseQuorumThreshold
}

// Lock should be held.
func (n *raft) stepdownLocked(newLeader string) {
	n.leader = newLeader
	n.state.Store(Follower)
	n.prop.drain()
}

// Called when a peer has forwarded a proposal.
func (n *raft) handleForwardedProposal(reply string, msg []byte) {
	// Need to copy since this is underlying client/route buffer.
	msg = append([]byte(nil), msg...)

	n.RLock()
	// Check state under lock, we might not be leader anymore.
	if n.State() != Leader {
		n.RUnlock()
		return
	}

	// Ignore if we have had a write error previous.
	if n.werr != nil {
		n.RUnlock()
		return
	}

	if n.isLeaderOverrun() {
		n.RUnlock()
		n.Lock()
		defer n.Unlock()
		// Now that we've reacquired as write lock, we need to make sure that everything we
		// believed before is still true.
		if n.State() != Leader || n.werr != nil {
			return
		} else if !n.isLeaderOverrun() {
			n.prop.push(&proposedEntry{msg, reply})
			return
		}
		// Stepdown without leader transfer, likely all replicas will be overrun, and we need time to recover.
		n.stepdownLocked("")
		n.overrunCount++
		return
	}
	n.prop.push(&proposedEntry{msg, reply})
	n.RUnlock()
}

func (n *raft) setWriteErr(err error) {
	n.Lock()
	n.werr = err
	n.Unlock()
}

func (n *raft) committed(pindex, commit uint64) {
	n.Lock()
	n.pindex, n.commit = pindex, commit
	n.Unlock()
}

func (n *raft) switchToLeader(id string) {
	n.Lock()
	n.leader = id
	n.state.Store(Leader)
	n.Unlock()
}
