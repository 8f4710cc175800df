// Package filestore keeps the messages of a stream in blocks.
package filestore

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrStoreClosed      = errors.New("store is closed")
	ErrStoreMsgNotFound = errors.New("no message found")
)

const maxMsgsPerBlock = 1024

// StreamState is information about the given stream.
type StreamState struct {
	Msgs      uint64
	Bytes     uint64
	FirstSeq  uint64
	FirstTime time.Time
	LastSeq   uint64
	LastTime  time.Time
}

// StorageUpdateHandler is called after every change of the store.
type StorageUpdateHandler func(msgs, bytes int64, seq uint64, subj string)

type storedMsg struct {
	subj string
	msg  []byte
	ts   time.Time
}

// msgBlock represents a block of messages.
type msgBlock struct {
	mu    sync.RWMutex
	index uint32
	first uint64
	last  uint64
	msgs  map[uint64]*storedMsg
}

func (mb *msgBlock) removeBelow(seq uint64) (msgs, bytes uint64) {
	mb.mu.Lock()
	defer mb.mu.Unlock()
	for ; mb.first < seq && mb.first <= mb.last; mb.first++ {
		if sm, ok := mb.msgs[mb.first]; ok {
			msgs++
			bytes += uint64(len(sm.subj) + len(sm.msg))
			delete(mb.msgs, mb.first)
		}
	}
	return msgs, bytes
}

type fileStore struct {
	mu     sync.RWMutex
	state  StreamState
	scb    StorageUpdateHandler
	blks   []*msgBlock
	lmb    *msgBlock
	dirty  int
	werr   error
	closed atomic.Bool
	qch    chan struct{}
}

func newFileStore(syncInterval time.Duration) *fileStore {
	fs := &fileStore{qch: make(chan struct{})}
	fs.newMsgBlockForWrite()
	go fs.flushStreamStateLoop(syncInterval)
	return fs
}

func (fs *fileStore) isClosed() bool { return fs.closed.Load() }

// RegisterStorageUpdates registers a callback for updates to storage changes.
func (fs *fileStore) RegisterStorageUpdates(cb StorageUpdateHandler) {
	fs.mu.Lock()
	fs.scb = cb
	fs.mu.Unlock()
}

// Lock should be held.
func (fs *fileStore) newMsgBlockForWrite() *msgBlock {
	index := uint32(1)
	if fs.lmb != nil {
		index = fs.lmb.index + 1
	}
	mb := &msgBlock{index: index, first: fs.state.LastSeq + 1, last: fs.state.LastSeq, msgs: make(map[uint64]*storedMsg)}
	fs.blks = append(fs.blks, mb)
	fs.lmb = mb
	return mb
}

// StoreMsg stores a message.
func (fs *fileStore) StoreMsg(subj string, msg []byte) (uint64, error) {
	fs.mu.Lock()
	if err := fs.werr; err != nil {
		fs.mu.Unlock()
		return 0, err
	}
	seq, ts := fs.state.LastSeq+1, time.Now()
	mb := fs.lmb
	if len(mb.msgs) >= maxMsgsPerBlock {
		mb = fs.newMsgBlockForWrite()
	}
	mb.mu.Lock()
	mb.msgs[seq] = &storedMsg{subj: subj, msg: msg, ts: ts}
	mb.last = seq
	mb.mu.Unlock()
	if fs.state.Msgs == 0 {
		fs.state.FirstSeq, fs.state.FirstTime = seq, ts
	}
	fs.state.Msgs++
	fs.state.Bytes += uint64(len(subj) + len(msg))
	fs.state.LastSeq, fs.state.LastTime = seq, ts
	fs.dirty++
	cb := fs.scb
	fs.mu.Unlock()

	if cb != nil {
		cb(1, int64(len(subj)+len(msg)), seq, subj)
	}
	return seq, nil
}

// LoadMsg will lookup the message by sequence number.
func (fs *fileStore) LoadMsg(seq uint64) (string, []byte, error) {
	fs.mu.RLock()
	defer fs.mu.RUnlock()
	for _, mb := range fs.blks {
		mb.mu.RLock()
		sm, ok := mb.msgs[seq]
		mb.mu.RUnlock()
		if ok {
			return sm.subj, sm.msg, nil
		}
	}
	return "", nil, ErrStoreMsgNotFound
}

// Purge will remove all messages from this store.
// Will return the number of purged messages.
func (fs *fileStore) Purge() (uint64, error) { return fs.purge(0) }

func (fs *fileStore) purge(fseq uint64) (uint64, error) {
	if fs.isClosed() {
		return 0, ErrStoreClosed
	}
	fs.mu.Lock()
	purged, bytes, err := fs.purgeLocked(fseq)
	cb := fs.scb
	fs.mu.Unlock()
	if err == nil && cb != nil {
		cb(-int64(purged), -int64(bytes), 0, "")
	}
	return purged, err
}

// Lock must be held.
func (fs *fileStore) purgeLocked(fseq uint64) (purged, bytes uint64, err error) {
	if fs.werr != nil {
		return 0, 0, fs.werr
	}
	purged, bytes = fs.state.Msgs, fs.state.Bytes
	fs.state.FirstSeq, fs.state.FirstTime = fs.state.LastSeq+1, time.Time{}
	fs.state.Msgs, fs.state.Bytes = 0, 0
	if fseq > fs.state.FirstSeq {
		fs.state.FirstSeq, fs.state.LastSeq = fseq, fseq-1
	}
	fs.blks = nil
	fs.newMsgBlockForWrite()
	fs.dirty++
	return purged, bytes, nil
}

// Compact will remove all messages from this store up to
// but not including the seq parameter.
// Will return the number of purged messages.
func (fs *fileStore) Compact(seq uint64) (uint64, error) {
	if fs.isClosed() {
		return 0, ErrStoreClosed
	}
	fs.mu.Lock()
	if lseq := fs.state.LastSeq; seq > lseq {
		purged, bytes, err := fs.purgeLocked(seq)
		cb := fs.scb
		fs.mu.Unlock()
		if err == nil && cb != nil {
			cb(-int64(purged), -int64(bytes), 0, "")
		}
		return purged, err
	}
	if fs.werr != nil || fs.state.FirstSeq > seq {
		err := fs.werr
		fs.mu.Unlock()
		return 0, err
	}
	purged, bytes := fs.compactBlocks(seq)
	cb := fs.scb
	fs.mu.Unlock()
	if cb != nil && purged > 0 {
		cb(-int64(purged), -int64(bytes), 0, "")
	}
	return purged, nil
}

// Lock must be held.
func (fs *fileStore) compactBlocks(seq uint64) (purged, bytes uint64) {
	keep := fs.blks[:0:0]
	for _, mb := range fs.blks {
		n, b := mb.removeBelow(seq)
		purged, bytes = purged+n, bytes+b
		if len(mb.msgs) > 0 || mb == fs.lmb {
			keep = append(keep, mb)
		}
	}
	fs.blks = keep
	fs.state.Msgs -= purged
	fs.state.Bytes -= bytes
	fs.state.FirstSeq = seq
	fs.dirty++
	return purged, bytes
}

func (fs *fileStore) flushStreamStateLoop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			fs.mu.Lock()
			fs.dirty = 0
			fs.mu.Unlock()
		case <-fs.qch:
			return
		}
	}
}

func (fs *fileStore) Stop() error {
	if fs.closed.Swap(true) {
		return ErrStoreClosed
	}
	close(fs.qch)
	return nil
}
