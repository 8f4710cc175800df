package server

import (
	"errors"
	"sync"
)

type storedMsg struct {
	subj string
	msg  []byte
	seq  uint64
}

type memStore struct {
	mu   sync.RWMutex
	lseq uint64
	msgs map[uint64]*storedMsg
	last map[string]uint64
}

func newMemStore() *memStore {
	return &memStore{msgs: make(map[uint64]*storedMsg), last: make(map[string]uint64)}
}

// StoreMsg stores a message and returns its sequence.
func (ms *memStore) StoreMsg(subj string, msg []byte) uint64 {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.lseq++
	ms.msgs[ms.lseq] = &storedMsg{subj, append([]byte(nil), msg...), ms.lseq}
	ms.last[subj] = ms.lseq
	return ms.lseq
}

// LoadLastMsg will return the last message we have that matches a given subject.
func (ms *memStore) LoadLastMsg(subject string) (*storedMsg, error) {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	sm := ms.msgs[ms.last[subject]]
	if sm == nil {
		return nil, errStoreMsgNotFound
	}
	return sm, nil
}

type streamMsg struct {
	subject string
	reply   string
	hdr     *header
	msg     []byte
	lseq    uint64
}

var errNotLeader = errors.New("raft: not leader")

// raftNode hands proposals back once they are committed.
type raftNode struct {
	mu     sync.Mutex
	leader bool
	queue  []*streamMsg
	ready  chan struct{}
	quit   chan struct{}
}

func newRaftNode() *raftNode {
	return &raftNode{leader: true, ready: make(chan struct{}, 1), quit: make(chan struct{})}
}

func (n *raftNode) Propose(sm *streamMsg) error {
	n.mu.Lock()
	if !n.leader {
		n.mu.Unlock()
		return errNotLeader
	}
	n.queue = append(n.queue, sm)
	n.mu.Unlock()
	select {
	case n.ready <- struct{}{}:
	default:
	}
	return nil
}

func (n *raftNode) pop() []*streamMsg {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := n.queue
	n.queue = nil
	return q
}
