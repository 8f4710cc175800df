package a

import (
	"sync"
	"time"
)

// ipQueue is a queue with a channel that tells about new elements.
type ipQueue struct {
	mu   sync.Mutex
	elts []uint64
	ch   chan struct{}
}

func newIPQueue() *ipQueue { return &ipQueue{ch: make(chan struct{}, 1)} }

func (q *ipQueue) push(e uint64) {
	q.mu.Lock()
	q.elts = append(q.elts, e)
	q.mu.Unlock()
	select {
	case q.ch <- struct{}{}:
	default:
	}
}

func (q *ipQueue) pop() []uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	elts := q.elts
	q.elts = nil
	return elts
}

type appendEntry struct {
	index uint64
	buf   []byte
}

type appendEntryResponse struct {
	peer    string
	index   uint64
	success bool
}

// raft is one node of a group.
type raft struct {
	sync.RWMutex
	wal      []appendEntry // index i is at position i-1
	pindex   uint64
	leader   bool
	peers    map[string]struct{}
	progress map[string]*ipQueue
	send     func(peer string, ae appendEntry)
	quit     chan struct{}
	wg       sync.WaitGroup
}

func newRaft(send func(string, appendEntry)) *raft {
	return &raft{
		leader:   true,
		peers:    map[string]struct{}{},
		progress: map[string]*ipQueue{},
		send:     send,
		quit:     make(chan struct{}),
	}
}

// Propose appends an entry and sends it to all peers.
func (n *raft) Propose(buf []byte) {
	n.Lock()
	defer n.Unlock()
	n.pindex++
	ae := appendEntry{n.pindex, buf}
	n.wal = append(n.wal, ae)
	for peer := range n.peers {
		n.send(peer, ae)
	}
}

// processAppendEntryResponse is called for the answers of the followers.
func (n *raft) processAppendEntryResponse(ar *appendEntryResponse) {
	if !ar.success {
		// The follower misses entries.
		n.catchupFollower(ar)
		return
	}
	n.RLock()
	defer n.RUnlock()
	if indexUpdateQ := n.progress[ar.peer]; indexUpdateQ != nil {
		indexUpdateQ.push(ar.index)
	}
}

// catchupFollower is called when a follower asks for the entries after ar.index.
func (n *raft) catchupFollower(ar *appendEntryResponse) {
	n.Lock()
	defer n.Unlock()
	if !n.leader {
		return
	}
	if q, ok := n.progress[ar.peer]; ok {
		// Cancel the existing entry for catching up.
		delete(n.progress, ar.peer)
		q.push(n.pindex)
	}
	// Create a queue for delivering updates from responses.
	indexUpdates := newIPQueue()
	indexUpdates.push(ar.index)
	n.progress[ar.peer] = indexUpdates
	n.wg.Go(func() { n.runCatchup(ar, indexUpdates) })
}

func (n *raft) runCatchup(ar *appendEntryResponse, indexUpdatesQ *ipQueue) {
	peer := ar.peer
	n.RLock()
	last := n.pindex
	n.RUnlock()

	defer func() {
		n.Lock()
		// Only remove our own progress entry.
		if q, ok := n.progress[peer]; ok && q == indexUpdatesQ {
			delete(n.progress, peer)
		}
		// Add the peer if it is new.
		n.peers[peer] = struct{}{}
		n.Unlock()
	}()

	const activityInterval = 2 * time.Second
	timeout := time.NewTimer(activityInterval)
	defer timeout.Stop()

	for {
		select {
		case <-n.quit:
			return
		case <-timeout.C:
			// Catching up for the peer stalled.
			return
		case <-indexUpdatesQ.ch:
			timeout.Reset(activityInterval)
			for _, index := range indexUpdatesQ.pop() {
				if index >= last {
					return
				}
				n.RLock()
				ae := n.wal[index]
				n.RUnlock()
				n.send(peer, ae)
			}
		}
	}
}

// Stop waits for all catchups to finish.
func (n *raft) Stop() {
	n.Lock()
	n.leader = false
	n.Unlock()
	close(n.quit)
	n.wg.Wait()
}
