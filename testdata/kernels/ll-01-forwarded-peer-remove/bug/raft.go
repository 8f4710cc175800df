package server

import (
	"errors"
	"sync"
	"sync/atomic"
)

type RaftState int32

const (
	Follower RaftState = iota
	Leader
	Closed
)

type EntryType uint8

const (
	EntryNormal EntryType = iota
	EntryAddPeer
	EntryRemovePeer
)

const idLen = 8

var (
	errNotLeader        = errors.New("raft: not leader")
	errMembershipChange = errors.New("raft: membership change in progress")
	errRemoveLastNode   = errors.New("raft: can not remove last node")
)

type Entry struct {
	Type EntryType
	Data []byte
}

func (e *Entry) ChangesMembership() bool {
	return e.Type == EntryAddPeer || e.Type == EntryRemovePeer
}

type proposedEntry struct {
	*Entry
	reply string
}

// ipQueue is an unbounded queue with a signal for its reader.
type ipQueue struct {
	mu    sync.Mutex
	elts  []*proposedEntry
	ready chan struct{}
}

func newIPQueue() *ipQueue {
	return &ipQueue{ready: make(chan struct{}, 1)}
}

func (q *ipQueue) push(e *proposedEntry) {
	q.mu.Lock()
	q.elts = append(q.elts, e)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *ipQueue) pop() []*proposedEntry {
	q.mu.Lock()
	defer q.mu.Unlock()
	elts := q.elts
	q.elts = nil
	return elts
}

// transport carries the messages of the group.
type transport interface {
	Publish(subject, reply string, msg []byte)
	Subscribe(subject string, cb func(reply string, msg []byte))
}

type raft struct {
	sync.RWMutex
	t      transport
	id     string
	rpsubj string
	state  atomic.Int32
	peers  map[string]struct{}
	csz    int // Cluster size
	qn     int // Number of nodes needed to establish quorum
	pindex uint64
	commit uint64
	acks   map[uint64]map[string]struct{}
	log    []*Entry
	werr   error

	prop *ipQueue
	quit chan struct{}

	membChanging bool // There is a membership change proposal in progress
}

func startRaftNode(t transport, id string, peers []string) *raft {
	n := &raft{
		t:      t,
		id:     id,
		rpsubj: "$NRG.RP." + id,
		peers:  make(map[string]struct{}),
		acks:   make(map[uint64]map[string]struct{}),
		prop:   newIPQueue(),
		quit:   make(chan struct{}),
	}
	for _, p := range peers {
		n.peers[p] = struct{}{}
	}
	n.adjustClusterSizeAndQuorum()
	t.Subscribe(n.rpsubj, n.handleForwardedRemovePeerProposal)
	go n.runAsLeader()
	return n
}

func (n *raft) State() RaftState { return RaftState(n.state.Load()) }

// ProposeAddPeer is called to add a peer to the group.
func (n *raft) ProposeAddPeer(peer string) error {
	n.Lock()
	// Check state under lock, we might not be leader anymore.
	if n.State() != Leader {
		n.Unlock()
		return errNotLeader
	}
	// Error if we had a previous write error.
	if werr := n.werr; werr != nil {
		n.Unlock()
		return werr
	}
	if n.membChanging {
		n.Unlock()
		return errMembershipChange
	}
	prop := n.prop
	n.membChanging = true
	n.Unlock()

	prop.push(&proposedEntry{&Entry{EntryAddPeer, []byte(peer)}, ""})
	return nil
}

// ProposeRemovePeer is called to remove a peer from the group.
func (n *raft) ProposeRemovePeer(peer string) error {
	n.Lock()

	// Error if we had a previous write error.
	if werr := n.werr; werr != nil {
		n.Unlock()
		return werr
	}

	if n.State() != Leader {
		subj := n.rpsubj
		n.Unlock()

		// Forward the proposal to the leader
		n.t.Publish(subj, "", []byte(peer))
		return nil
	}

	if n.membChanging {
		n.Unlock()
		return errMembershipChange
	}

	if len(n.peers) <= 1 {
		n.Unlock()
		return errRemoveLastNode
	}

	prop := n.prop
	n.membChanging = true
	n.Unlock()

	prop.push(&proposedEntry{&Entry{EntryRemovePeer, []byte(peer)}, ""})
	return nil
}

// Called on the goroutine of the connection, when a peer has forwarded a remove peer proposal.
func (n *raft) handleForwardedRemovePeerProposal(reply string, msg []byte) {
	if len(msg) != idLen {
		return
	}

	n.RLock()
	// Check state under lock, we might not be leader anymore.
	if n.State() != Leader {
		n.RUnlock()
		return
	}
	prop, werr := n.prop, n.werr
	n.RUnlock()

	// Ignore if we have had a write error previous.
	if werr != nil {
		return
	}

	// Need to copy since this is underlying client/route buffer.
	peer := append([]byte(nil), msg...)
	prop.push(&proposedEntry{&Entry{EntryRemovePeer, peer}, reply})
}

// runAsLeader turns the proposals into entries of the log.
func (n *raft) runAsLeader() {
	for {
		select {
		case <-n.quit:
			return
		case <-n.prop.ready:
			for _, b := range n.prop.pop() {
				if b.ChangesMembership() {
					n.sendMembershipChange(b.Entry)
				} else {
					n.Lock()
					n.storeEntry(b.Entry)
					n.Unlock()
				}
			}
		}
	}
}

// Quorum is counted with the new size at once.
func (n *raft) sendMembershipChange(e *Entry) {
	n.Lock()
	defer n.Unlock()
	n.storeEntry(e)
	if e.Type == EntryAddPeer {
		n.peers[string(e.Data)] = struct{}{}
	} else {
		delete(n.peers, string(e.Data))
	}
	n.adjustClusterSizeAndQuorum()
	if n.csz == 1 {
		n.tryCommit(n.pindex)
	}
}

// Lock should be held.
func (n *raft) storeEntry(e *Entry) {
	n.log = append(n.log, e)
	n.pindex++
	n.acks[n.pindex] = map[string]struct{}{n.id: {}}
}

// Lock should be held.
func (n *raft) adjustClusterSizeAndQuorum() {
	n.csz = len(n.peers)
	n.qn = n.csz/2 + 1
}

// trackResponse is called for each ack of a follower.
func (n *raft) trackResponse(peer string, index uint64) {
	n.Lock()
	defer n.Unlock()
	results := n.acks[index]
	if results == nil || index <= n.commit {
		return
	}
	results[peer] = struct{}{}
	n.tryCommit(index)
}

// Lock should be held.
func (n *raft) tryCommit(index uint64) {
	if len(n.acks[index]) < n.qn {
		return
	}
	for ; n.commit < index; n.commit++ {
		delete(n.acks, n.commit+1)
		if n.log[n.commit].ChangesMembership() {
			n.membChanging = false
		}
	}
}
