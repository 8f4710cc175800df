// Package stream is a replicated stream with duplicate detection.
package stream

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errNotLeader        = errors.New("stream: not the leader")
	errMsgIdDuplicate   = errors.New("stream: duplicate message id")
	errMsgIdInProcess   = errors.New("stream: message id in process")
	errProposalRejected = errors.New("stream: proposal rejected")
)

// ddentry is an entry of the dedupe window; seq is 0 while the message is
// proposed and not applied yet.
type ddentry struct {
	id  string
	seq uint64
	ts  int64
}

// RaftNode is the consensus layer below the stream.
type RaftNode interface {
	Leader() bool
	// Propose fails only once the leadership has been lost.
	Propose(entry []byte) error
	// LeadChangeC delivers the changes of leadership, after the fact.
	LeadChangeC() <-chan bool
}

type inflightSubjectRunningTotal struct {
	bytes uint64
	ops   uint64
}

type streamConfig struct {
	Name       string
	Duplicates time.Duration
}

type stream struct {
	cfg  streamConfig
	node RaftNode
	lead atomic.Bool
	qch  chan struct{}

	// clMu protects the state of what has been proposed.
	// Lock order: clMu before ddMu.
	clMu     sync.Mutex
	clseq    uint64
	inflight map[string]*inflightSubjectRunningTotal

	ddMu  sync.Mutex
	ddmap map[string]*ddentry
	ddarr []*ddentry
	ddtmr *time.Timer

	mu   sync.RWMutex
	lseq uint64
}

func newStream(cfg streamConfig, node RaftNode) *stream {
	mset := &stream{
		cfg:      cfg,
		node:     node,
		qch:      make(chan struct{}),
		inflight: make(map[string]*inflightSubjectRunningTotal),
		ddmap:    make(map[string]*ddentry),
	}
	mset.lead.Store(node.Leader())
	go mset.monitorStream()
	return mset
}

func (mset *stream) monitorStream() {
	lch := mset.node.LeadChangeC()
	for {
		select {
		case isLeader := <-lch:
			mset.processStreamLeaderChange(isLeader)
		case <-mset.qch:
			return
		}
	}
}

func (mset *stream) isLeader() bool { return mset.lead.Load() && mset.node.Leader() }

// storeMsgIdLocked will store the message id for duplicate detection.
// ddMu should be held.
func (mset *stream) storeMsgIdLocked(dde *ddentry) {
	if mset.cfg.Duplicates <= 0 {
		return
	}
	if mset.ddmap == nil {
		mset.ddmap = make(map[string]*ddentry)
	}
	mset.ddmap[dde.id] = dde
	mset.ddarr = append(mset.ddarr, dde)
	if mset.ddtmr == nil {
		mset.ddtmr = time.AfterFunc(mset.cfg.Duplicates, mset.purgeMsgIds)
	}
}

// ddMu should be held.
func (mset *stream) checkMsgId(id string) *ddentry {
	if id == "" {
		return nil
	}
	return mset.ddmap[id]
}

// purgeMsgIds drops what is older than the window.
func (mset *stream) purgeMsgIds() {
	mset.ddMu.Lock()
	defer mset.ddMu.Unlock()
	old := time.Now().Add(-mset.cfg.Duplicates).UnixNano()
	i := 0
	for ; i < len(mset.ddarr) && mset.ddarr[i].ts <= old; i++ {
		if dde := mset.ddarr[i]; mset.ddmap[dde.id] == dde {
			delete(mset.ddmap, dde.id)
		}
	}
	mset.ddarr = append([]*ddentry(nil), mset.ddarr[i:]...)
	mset.ddtmr = nil
	if len(mset.ddarr) > 0 {
		mset.ddtmr = time.AfterFunc(mset.cfg.Duplicates/4, mset.purgeMsgIds)
	}
}

// batchStagedDiff stages all changes for consistency checks until commit.
type batchStagedDiff struct {
	msgId string
	subj  string
	size  uint64
}

func (diff *batchStagedDiff) check(mset *stream) error {
	mset.ddMu.Lock()
	defer mset.ddMu.Unlock()
	if dde := mset.checkMsgId(diff.msgId); dde != nil {
		if dde.seq > 0 {
			return errMsgIdDuplicate
		}
		return errMsgIdInProcess
	}
	return nil
}

// commit is called with clMu held.
func (diff *batchStagedDiff) commit(mset *stream) {
	if diff.msgId != "" {
		mset.ddMu.Lock()
		// We stage with zero, and will update once we know the sequence.
		mset.storeMsgIdLocked(&ddentry{diff.msgId, 0, time.Now().UnixNano()})
		mset.ddMu.Unlock()
	}
	t := mset.inflight[diff.subj]
	if t == nil {
		t = &inflightSubjectRunningTotal{}
		mset.inflight[diff.subj] = t
	}
	t.bytes += diff.size
	t.ops++
}

// processClusteredInboundMsg proposes an inbound message to the group.
func (mset *stream) processClusteredInboundMsg(subj, msgId string, msg []byte) error {
	mset.clMu.Lock()
	defer mset.clMu.Unlock()
	if !mset.isLeader() {
		return errNotLeader
	}
	if mset.clseq == 0 {
		mset.clseq = mset.lastSeq()
	}
	diff := &batchStagedDiff{msgId: msgId, subj: subj, size: uint64(len(msg))}
	if err := diff.check(mset); err != nil {
		return err
	}
	diff.commit(mset)
	mset.clseq++
	if err := mset.node.Propose(msg); err != nil {
		return errProposalRejected
	}
	return nil
}

// applyStreamMsg is called for every entry that the group has committed.
func (mset *stream) applyStreamMsg(msgId string) (uint64, error) {
	mset.clMu.Lock()
	defer mset.clMu.Unlock()
	mset.ddMu.Lock()
	defer mset.ddMu.Unlock()
	dde := mset.checkMsgId(msgId)
	if dde != nil && dde.seq > 0 {
		return dde.seq, errMsgIdDuplicate
	}
	mset.mu.Lock()
	mset.lseq++
	seq := mset.lseq
	mset.mu.Unlock()
	if dde != nil {
		dde.seq = seq
	} else if msgId != "" {
		mset.storeMsgIdLocked(&ddentry{msgId, seq, time.Now().UnixNano()})
	}
	return seq, nil
}

func (mset *stream) lastSeq() uint64 {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.lseq
}

// processStreamLeaderChange is called when we gain or lose the leadership.
func (mset *stream) processStreamLeaderChange(isLeader bool) {
	mset.clMu.Lock()
	// Clear inflight dedupe IDs, where seq=0.
	mset.ddMu.Lock()
	n := len(mset.ddarr)
	for ; n > 0 && mset.ddarr[n-1].seq == 0; n-- {
		delete(mset.ddmap, mset.ddarr[n-1].id)
	}
	mset.ddarr = mset.ddarr[:n]
	mset.ddMu.Unlock()

	// Clear inflight if we have it.
	mset.inflight = make(map[string]*inflightSubjectRunningTotal)
	mset.clseq = 0
	mset.clMu.Unlock()

	mset.lead.Store(isLeader)
}

func (mset *stream) stop() { close(mset.qch) }
