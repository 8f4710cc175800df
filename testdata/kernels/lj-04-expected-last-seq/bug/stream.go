package server

import (
	"errors"
	"fmt"
	"sync"
)

var errStoreMsgNotFound = errors.New("no message found")

// header carries the expectations of a publisher.
type header struct {
	expectedLastSeqPerSubject *uint64
	expectedLastSeq           *uint64
	msgID                     string
}

func getExpectedLastSeqPerSubject(hdr *header) (uint64, bool) {
	if hdr == nil || hdr.expectedLastSeqPerSubject == nil {
		return 0, false
	}
	return *hdr.expectedLastSeqPerSubject, true
}

func getExpectedLastSeq(hdr *header) (uint64, bool) {
	if hdr == nil || hdr.expectedLastSeq == nil {
		return 0, false
	}
	return *hdr.expectedLastSeq, true
}

func getMsgId(hdr *header) string {
	if hdr == nil {
		return ""
	}
	return hdr.msgID
}

// Stream is a jetstream stream of messages.
type stream struct {
	mu    sync.RWMutex
	name  string
	store *memStore
	node  *raftNode
	lseq  uint64
	clfs  uint64
	ddmap map[string]uint64
	outq  chan pubAck

	// Clustered processing.
	clMu  sync.Mutex
	clseq uint64
}

type pubAck struct {
	reply string
	seq   uint64
	err   error
}

func newStream(name string, node *raftNode) *stream {
	mset := &stream{
		name:  name,
		store: newMemStore(),
		node:  node,
		ddmap: make(map[string]uint64),
		outq:  make(chan pubAck, 1024),
	}
	if node != nil {
		go mset.monitorStream()
	}
	return mset
}

func (mset *stream) isClustered() bool { return mset.node != nil }

func (mset *stream) lastSeqAndCLFS() (uint64, uint64) {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.lseq, mset.clfs
}

// processInboundJetStreamMsg handles processing messages bound for a stream.
// Called from the read loop of each publishing client.
func (mset *stream) processInboundJetStreamMsg(subject, reply string, hdr *header, msg []byte) error {
	if mset.isClustered() {
		return mset.processClusteredInboundMsg(subject, reply, hdr, msg)
	}
	return mset.processJetStreamMsg(subject, reply, hdr, msg)
}

// processClusteredInboundMsg will propose the inbound message to the underlying raft group.
func (mset *stream) processClusteredInboundMsg(subject, reply string, hdr *header, msg []byte) error {
	mset.mu.RLock()
	name, store, node := mset.name, mset.store, mset.node
	mset.mu.RUnlock()

	// Some header checks can be checked pre proposal. Most can not.
	if hdr != nil {
		// For CAS operations, e.g. ExpectedLastSeqPerSubject, we can also check here and not have to go through.
		// Can only precheck for seq != 0.
		if seq, exists := getExpectedLastSeqPerSubject(hdr); exists && store != nil && seq > 0 {
			var fseq uint64
			sm, err := store.LoadLastMsg(subject)
			if sm != nil {
				fseq = sm.seq
			}
			if err != nil || fseq != seq {
				err := fmt.Errorf("last sequence by subject mismatch: %d vs %d", seq, fseq)
				mset.respond(reply, 0, err)
				return err
			}
		}
	}

	// We only use mset.clseq for clustering and in case we run ahead of actual commits.
	// Check if we need to set initial value here
	mset.clMu.Lock()
	lseq, clfs := mset.lastSeqAndCLFS()
	if mset.clseq == 0 || mset.clseq < lseq {
		mset.clseq = lseq + clfs
	}
	esm := &streamMsg{subject: subject, reply: reply, hdr: hdr, msg: msg, lseq: mset.clseq}
	mset.clseq++

	// Do proposal.
	err := node.Propose(esm)
	if err != nil && mset.clseq > 0 {
		mset.clseq--
	}
	mset.clMu.Unlock()

	if err != nil {
		mset.respond(reply, 0, fmt.Errorf("stream %q: %w", name, err))
	}
	return err
}

// monitorStream applies the committed entries of our raft group.
func (mset *stream) monitorStream() {
	for {
		select {
		case <-mset.node.quit:
			return
		case <-mset.node.ready:
			for _, sm := range mset.node.pop() {
				// Errors were sent to the publisher.
				mset.processJetStreamMsg(sm.subject, sm.reply, sm.hdr, sm.msg)
			}
		}
	}
}

// processJetStreamMsg is where we try to actually process the stream msg.
func (mset *stream) processJetStreamMsg(subject, reply string, hdr *header, msg []byte) error {
	mset.mu.Lock()
	store, isClustered := mset.store, mset.isClustered()

	// Process additional msg headers if still present.
	if hdr != nil {
		if id := getMsgId(hdr); id != "" {
			if dseq, ok := mset.ddmap[id]; ok {
				if isClustered {
					mset.clfs++
				}
				mset.mu.Unlock()
				mset.respond(reply, dseq, nil)
				return nil
			}
		}
		// Expected last sequence per subject.
		// If we are clustered we have prechecked seq > 0.
		if seq, exists := getExpectedLastSeqPerSubject(hdr); exists && (!isClustered || seq == 0) {
			// TODO(dlc) - We could make a new store func that does this all in one.
			var fseq uint64
			sm, err := store.LoadLastMsg(subject)
			if sm != nil {
				fseq = sm.seq
			}
			if err == errStoreMsgNotFound && seq == 0 {
				fseq, err = 0, nil
			}
			if err != nil || fseq != seq {
				mset.clfs++
				mset.mu.Unlock()
				err := fmt.Errorf("last sequence by subject mismatch: %d vs %d", seq, fseq)
				mset.respond(reply, 0, err)
				return err
			}
		}

		// Expected last sequence.
		if seq, exists := getExpectedLastSeq(hdr); exists && seq != mset.lseq {
			mlseq := mset.lseq
			mset.clfs++
			mset.mu.Unlock()
			err := fmt.Errorf("last sequence mismatch: %d vs %d", seq, mlseq)
			mset.respond(reply, 0, err)
			return err
		}
	}

	// Store actual msg.
	seq := store.StoreMsg(subject, msg)
	mset.lseq = seq
	if id := getMsgId(hdr); id != "" {
		mset.ddmap[id] = seq
	}
	mset.mu.Unlock()

	mset.respond(reply, seq, nil)
	return nil
}

func (mset *stream) respond(reply string, seq uint64, err error) {
	if reply == "" {
		return
	}
	select {
	case mset.outq <- pubAck{reply, seq, err}:
	default:
	}
}
