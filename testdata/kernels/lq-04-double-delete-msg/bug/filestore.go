package server

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrStoreClosed             = errors.New("store is closed")
	ErrStoreSnapshotInProgress = errors.New("snapshot in progress")
)

type fileStoredMsg struct {
	subj string
	msg  []byte
	seq  uint64
	ts   int64
}

type streamState struct {
	Msgs     uint64
	Bytes    uint64
	FirstSeq uint64
	LastSeq  uint64
}

type fileStore struct {
	mu     sync.RWMutex
	state  streamState
	blks   []*msgBlock
	lmb    *msgBlock
	maxAge time.Duration
	ageChk *time.Timer
	scb    func(int64)
	sips   int
	closed bool
}

type msgID struct {
	seq uint64
	ts  int64
}

type msgBlock struct {
	mu     sync.RWMutex
	first  msgID
	last   msgID
	msgs   uint64
	bytes  uint64
	cgenid uint64
	dmap   map[uint64]struct{}
	cache  map[uint64]*fileStoredMsg
}

const msgsPerBlock = 1024

func newFileStore(maxAge time.Duration, scb func(int64)) *fileStore {
	return &fileStore{maxAge: maxAge, scb: scb}
}

func fileStoreMsgSize(subj string, msg []byte) uint64 {
	return uint64(22 + len(subj) + len(msg) + 8)
}

// StoreMsg stores a message, it returns its sequence.
func (fs *fileStore) StoreMsg(subj string, msg []byte) (uint64, error) {
	fs.mu.Lock()
	if fs.closed {
		fs.mu.Unlock()
		return 0, ErrStoreClosed
	}
	seq, ts := fs.state.LastSeq+1, time.Now().UnixNano()
	mb := fs.lmb
	if mb == nil || seq-mb.first.seq >= msgsPerBlock {
		mb = &msgBlock{first: msgID{seq, ts}, cache: make(map[uint64]*fileStoredMsg)}
		fs.blks = append(fs.blks, mb)
		fs.lmb = mb
	}
	n := fileStoreMsgSize(subj, msg)
	mb.mu.Lock()
	mb.cache[seq] = &fileStoredMsg{subj, msg, seq, ts}
	mb.last = msgID{seq, ts}
	mb.msgs++
	mb.bytes += n
	mb.mu.Unlock()
	if fs.state.FirstSeq == 0 {
		fs.state.FirstSeq = seq
	}
	fs.state.Msgs++
	fs.state.Bytes += n
	fs.state.LastSeq = seq
	if fs.ageChk == nil && fs.maxAge != 0 {
		fs.ageChk = time.AfterFunc(fs.maxAge, fs.expireMsgs)
	}
	cb := fs.scb
	fs.mu.Unlock()

	if cb != nil {
		cb(int64(n))
	}
	return seq, nil
}

// Lock should NOT be held.
func (fs *fileStore) expireMsgs() {
	cutoff := time.Now().Add(-fs.maxAge).UnixNano()
	for {
		fs.mu.RLock()
		seq := fs.state.FirstSeq
		fs.mu.RUnlock()
		mb := fs.selectMsgBlock(seq)
		if mb == nil {
			return
		}
		if sm := mb.fetchMsg(seq); sm == nil || sm.ts > cutoff {
			return
		}
		if removed, err := fs.removeMsg(seq); err != nil || !removed {
			return
		}
	}
}

// RemoveMsg will remove the message from this store.
func (fs *fileStore) RemoveMsg(seq uint64) (bool, error) {
	return fs.removeMsg(seq)
}

func (fs *fileStore) isClosed() bool {
	fs.mu.RLock()
	closed := fs.closed
	fs.mu.RUnlock()
	return closed
}

func (fs *fileStore) selectMsgBlock(seq uint64) *msgBlock {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	for _, mb := range fs.blks {
		if seq >= mb.first.seq && seq-mb.first.seq < msgsPerBlock {
			return mb
		}
	}
	return nil
}

// Remove a message.
func (fs *fileStore) removeMsg(seq uint64) (bool, error) {
	if fs.isClosed() {
		return false, ErrStoreClosed
	}
	mb := fs.selectMsgBlock(seq)
	if mb == nil {
		return false, nil
	}
	sm := mb.fetchMsg(seq)
	// We have the message here, so we can delete it.
	if sm != nil {
		fs.deleteMsgFromBlock(mb, seq, sm)
	}
	return sm != nil, nil
}

func (mb *msgBlock) fetchMsg(seq uint64) *fileStoredMsg {
	mb.mu.RLock()
	defer mb.mu.RUnlock()
	if _, ok := mb.dmap[seq]; ok {
		return nil
	}
	return mb.cache[seq]
}

func (fs *fileStore) deleteMsgFromBlock(mb *msgBlock, seq uint64, sm *fileStoredMsg) {
	// Update global accounting.
	msz := fileStoreMsgSize(sm.subj, sm.msg)

	fs.mu.Lock()
	mb.mu.Lock()
	fs.state.Msgs--
	fs.state.Bytes -= msz

	// Now local mb updates.
	mb.msgs--
	mb.bytes -= msz
	atomic.AddUint64(&mb.cgenid, 1)
	if mb.dmap == nil {
		mb.dmap = make(map[uint64]struct{})
	}
	mb.dmap[seq] = struct{}{}
	if seq == fs.state.FirstSeq {
		next := seq + 1
		for _, ok := mb.dmap[next]; ok; _, ok = mb.dmap[next] {
			next++
		}
		fs.state.FirstSeq = next
	}
	cb := fs.scb
	mb.mu.Unlock()
	fs.mu.Unlock()

	if cb != nil {
		cb(-int64(msz))
	}
}

// State returns the current state of the store.
func (fs *fileStore) State() streamState {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	return fs.state
}

// Stop the current filestore.
func (fs *fileStore) Stop() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	if fs.ageChk != nil {
		fs.ageChk.Stop()
		fs.ageChk = nil
	}
}
