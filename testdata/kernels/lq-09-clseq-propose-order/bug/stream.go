package server

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errNotLeader   = errors.New("not leader")
	errLastSeqMism = errors.New("last sequence mismatch")
)

type StreamConfig struct {
	Name       string
	NoAck      bool
	MaxMsgSize int
	Replicas   int
}

type raftNode struct {
	mu     sync.RWMutex
	leader bool
	propc  chan []byte
	applyc chan []byte
}

func newRaftNode() *raftNode {
	return &raftNode{propc: make(chan []byte, 256), applyc: make(chan []byte, 256)}
}

func (n *raftNode) setLeader(l bool) {
	n.mu.Lock()
	n.leader = l
	n.mu.Unlock()
}

// Propose puts the entry into the queue of the leader.
func (n *raftNode) Propose(entry []byte) error {
	n.mu.RLock()
	leader := n.leader
	n.mu.RUnlock()
	if !leader {
		return errNotLeader
	}
	n.propc <- entry
	return nil
}

func (n *raftNode) runAsLeader(quit <-chan struct{}) {
	for {
		select {
		case e := <-n.propc:
			n.applyc <- e
		case <-quit:
			return
		}
	}
}

type jsAccount struct {
	mu       sync.RWMutex
	maxStore int64
}

func (jsa *jsAccount) updateLimit(n int64) {
	jsa.mu.Lock()
	jsa.maxStore = n
	jsa.mu.Unlock()
}

type pubMsg struct {
	subj string
	msg  []byte
}

type stream struct {
	mu    sync.RWMutex
	cfg   StreamConfig
	jsa   *jsAccount
	node  *raftNode
	lseq  uint64
	clseq uint64
	msgs  map[uint64][]byte
	outq  chan pubMsg
	qch   chan struct{}
	errs  int
}

func newStream(cfg StreamConfig, jsa *jsAccount) *stream {
	mset := &stream{
		cfg:  cfg,
		jsa:  jsa,
		node: newRaftNode(),
		msgs: make(map[uint64][]byte),
		outq: make(chan pubMsg, 256),
		qch:  make(chan struct{}),
	}
	go mset.node.runAsLeader(mset.qch)
	go mset.monitor()
	return mset
}

func encodeStreamMsg(subject string, msg []byte, lseq uint64, ts int64) []byte {
	b := binary.BigEndian.AppendUint64(nil, lseq)
	b = binary.BigEndian.AppendUint64(b, uint64(ts))
	b = append(b, byte(len(subject)))
	b = append(b, subject...)
	return append(b, msg...)
}

// processClusteredInboundMsg will propose the inbound message to the
// underlying raft group.
func (mset *stream) processClusteredInboundMsg(subject, reply string, msg []byte) error {
	mset.mu.RLock()
	canRespond := !mset.cfg.NoAck && len(reply) > 0
	jsa, rf, maxMsgSize, name := mset.jsa, mset.cfg.Replicas, mset.cfg.MaxMsgSize, mset.cfg.Name
	mset.mu.RUnlock()

	// Check here pre-emptively if we have exceeded our account limits.
	jsa.mu.RLock()
	exceeded := jsa.maxStore > 0 && int64(len(msg)*rf) > jsa.maxStore
	jsa.mu.RUnlock()
	if exceeded {
		return mset.respond(canRespond, reply, 400, fmt.Errorf("resource limits exceeded for account"))
	}
	if maxMsgSize > 0 && len(msg) > maxMsgSize {
		return mset.respond(canRespond, reply, 400, fmt.Errorf("message size exceeds limits for %q", name))
	}

	// Proceed with proposing this message.
	mset.mu.Lock()

	// We only use mset.clseq for clustering and in case we run ahead of actual commits.
	// Check if we need to set initial value here
	if mset.clseq == 0 {
		mset.clseq = mset.lseq
	}
	esm := encodeStreamMsg(subject, msg, mset.clseq, time.Now().UnixNano())
	mset.clseq++

	// Do proposal.
	mset.mu.Unlock()
	err := mset.node.Propose(esm)
	if err != nil {
		return mset.respond(canRespond, reply, 503, err)
	}
	return nil
}

func (mset *stream) respond(canRespond bool, reply string, code int, err error) error {
	if canRespond {
		b, _ := json.Marshal(map[string]any{"code": code, "description": err.Error()})
		mset.outq <- pubMsg{reply, b}
	}
	return err
}

func (mset *stream) setLeader(isLeader bool) {
	mset.node.setLeader(isLeader)
	mset.mu.Lock()
	// Clear clseq. If we become leader again, it will be restored
	// from the last processed message.
	mset.clseq = 0
	mset.mu.Unlock()
}

// apply stores a committed message.
func (mset *stream) apply(entry []byte) error {
	lseq := binary.BigEndian.Uint64(entry)
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if lseq != mset.lseq {
		mset.errs++
		return errLastSeqMism
	}
	mset.lseq++
	mset.msgs[mset.lseq] = entry[16:]
	return nil
}

func (mset *stream) monitor() {
	for {
		select {
		case entry := <-mset.node.applyc:
			if err := mset.apply(entry); err != nil {
				mset.respond(true, "_ERR_", 500, err)
			}
		case <-mset.qch:
			return
		}
	}
}

func (mset *stream) lastSeq() uint64 {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.lseq
}
