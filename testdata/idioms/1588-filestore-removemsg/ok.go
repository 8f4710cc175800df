package a

import (
	"errors"
	"sync"
)

var (
	ErrStoreClosed = errors.New("store is closed")
	errDeletedMsg  = errors.New("deleted message")
)

type msgBlock struct {
	mu     sync.Mutex
	first  uint64
	last   uint64
	closed bool
	dmap   map[uint64]struct{}
	cache  map[uint64][]byte
	load   func() map[uint64][]byte
}

func (mb *msgBlock) cacheNotLoaded() bool { return mb.cache == nil }

// loadMsgs reads the block from disk.
func (mb *msgBlock) loadMsgs() {
	mb.mu.Lock()
	defer mb.mu.Unlock()
	if mb.cache == nil && !mb.closed {
		mb.cache = mb.load()
	}
}

// Lock should be held.
func (mb *msgBlock) cacheLookup(seq uint64) ([]byte, error) {
	if _, ok := mb.dmap[seq]; ok || mb.cache == nil {
		return nil, errDeletedMsg
	}
	return mb.cache[seq], nil
}

type fileStore struct {
	mu     sync.RWMutex
	closed bool
	msgs   uint64
	bytes  uint64
	blks   []*msgBlock
}

// Lock should be held.
func (fs *fileStore) selectMsgBlock(seq uint64) *msgBlock {
	for _, mb := range fs.blks {
		if seq >= mb.first && seq <= mb.last {
			return mb
		}
	}
	return nil
}

// removeMsg removes the message; false if there was nothing to remove.
func (fs *fileStore) removeMsg(seq uint64) (bool, error) {
	fs.mu.Lock()
	if fs.closed {
		fs.mu.Unlock()
		return false, ErrStoreClosed
	}
	mb := fs.selectMsgBlock(seq)
	if mb == nil {
		fs.mu.Unlock()
		return false, nil
	}
	mb.mu.Lock()
	if mb.cacheNotLoaded() {
		// We do not want to block possible activity within another msg block.
		mb.mu.Unlock()
		fs.mu.Unlock()
		mb.loadMsgs()
		fs.mu.Lock()
		// We need to check if things changed out from underneath us.
		if fs.closed {
			fs.mu.Unlock()
			return false, ErrStoreClosed
		}
		mb.mu.Lock()
		if mb.closed || seq < mb.first {
			mb.mu.Unlock()
			fs.mu.Unlock()
			return false, nil
		}
		// cacheLookup below will do dmap check so no need to repeat here.
	}
	msg, err := mb.cacheLookup(seq)
	if err != nil {
		mb.mu.Unlock()
		fs.mu.Unlock()
		return false, nil
	}
	mb.dmap[seq] = struct{}{}
	delete(mb.cache, seq)
	fs.msgs--
	fs.bytes -= uint64(len(msg))
	mb.mu.Unlock()
	fs.mu.Unlock()
	return true, nil
}

// Stop closes the store and its blocks.
func (fs *fileStore) Stop() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.closed = true
	for _, mb := range fs.blks {
		mb.mu.Lock()
		mb.closed, mb.cache = true, nil
		mb.mu.Unlock()
	}
}
