package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errNotLeader   = errors.New("not leader")
	errSeqMismatch = errors.New("expected sequence does not match store")
)

// Entry is one entry of the replicated log; it has no message if it skips Seq.
type Entry struct {
	Seq uint64
	Msg []byte
}

// ipQueue is an unbounded queue whose consumer is woken through ch.
type ipQueue struct {
	mu   sync.Mutex
	elts []*Entry
	ch   chan struct{}
}

func (q *ipQueue) push(e *Entry) {
	q.mu.Lock()
	q.elts = append(q.elts, e)
	q.mu.Unlock()
	select {
	case q.ch <- struct{}{}:
	default:
	}
}

func (q *ipQueue) pop() []*Entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer func() { q.elts = nil }()
	return q.elts
}

type raft struct {
	sync.RWMutex
	leader atomic.Bool
	prop   *ipQueue

	applyc chan []*Entry
}

func startRaft() *raft {
	n := &raft{prop: &ipQueue{ch: make(chan struct{}, 1)}, applyc: make(chan []*Entry, 64)}
	n.leader.Store(true)
	go n.runAsLeader()
	return n
}

// Propose will propose a new entry to the group.
func (n *raft) Propose(e *Entry) error {
	if !n.leader.Load() {
		return errNotLeader
	}
	n.Lock()
	defer n.Unlock()
	n.prop.push(e)
	return nil
}

// ProposeMulti will propose several entries at once.
func (n *raft) ProposeMulti(entries []*Entry) error {
	if !n.leader.Load() {
		return errNotLeader
	}
	n.Lock()
	defer n.Unlock()
	for _, e := range entries {
		n.prop.push(e)
	}
	return nil
}

func (n *raft) runAsLeader() {
	for range n.prop.ch {
		if es := n.prop.pop(); len(es) > 0 {
			n.sendAppendEntry(es)
		}
	}
}

// sendAppendEntry appends to the log and has the entries applied in log order.
func (n *raft) sendAppendEntry(entries []*Entry) {
	n.Lock()
	defer n.Unlock()
	n.applyc <- entries
}

// Stream assigns sequences on the leader; every replica checks them on apply.
type Stream struct {
	node *raft

	mu    sync.Mutex
	clseq uint64

	lseq uint64 // owned by apply
	msgs map[uint64][]byte
}

func NewStream() *Stream {
	s := &Stream{node: startRaft(), msgs: make(map[uint64][]byte)}
	go s.monitor()
	return s
}

// Publish is called by the client connections.
func (s *Stream) Publish(msg []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clseq++
	return s.node.Propose(&Entry{s.clseq, msg})
}

// SkipMsgs is called by the mirror when the origin has a gap.
func (s *Stream) SkipMsgs(num int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []*Entry
	for range num {
		s.clseq++
		entries = append(entries, &Entry{Seq: s.clseq})
	}
	return s.node.ProposeMulti(entries)
}

func (s *Stream) monitor() {
	for es := range s.node.applyc {
		if s.apply(es) != nil {
			return
		}
	}
}

func (s *Stream) apply(es []*Entry) error {
	for _, e := range es {
		if e.Seq != s.lseq+1 {
			return errSeqMismatch
		}
		s.lseq = e.Seq
		if e.Msg != nil {
			s.msgs[e.Seq] = e.Msg
		}
	}
	return nil
}
