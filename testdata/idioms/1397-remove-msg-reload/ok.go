package server

import (
	"errors"
	"sync"
)

var errStoreClosed = errors.New("store is closed")

type msgBlock struct {
	load func() (map[uint64][]byte, error)

	mu     sync.Mutex
	first  uint64
	last   uint64
	bytes  int
	dmap   map[uint64]struct{}
	cache  map[uint64][]byte
	closed bool
}

func (mb *msgBlock) loadMsgs() error {
	msgs, err := mb.load()
	if err != nil {
		return err
	}
	mb.mu.Lock()
	defer mb.mu.Unlock()
	if mb.cache == nil && !mb.closed {
		mb.cache = msgs
	}
	return nil
}

func (mb *msgBlock) close() {
	mb.mu.Lock()
	mb.closed = true
	mb.cache = nil
	mb.mu.Unlock()
}

type fileStore struct {
	mu     sync.RWMutex
	msgs   int
	blks   []*msgBlock
	closed bool
}

// Lock should be held.
func (fs *fileStore) selectMsgBlock(seq uint64) *msgBlock {
	for _, mb := range fs.blks {
		mb.mu.Lock()
		last := mb.last
		mb.mu.Unlock()
		if seq <= last {
			return mb
		}
	}
	return nil
}

func (fs *fileStore) removeMsg(seq uint64) (bool, error) {
	fs.mu.Lock()
	if fs.closed {
		fs.mu.Unlock()
		return false, errStoreClosed
	}
	mb := fs.selectMsgBlock(seq)
	if mb == nil {
		fs.mu.Unlock()
		return false, nil
	}
	mb.mu.Lock()
	if mb.closed || seq < mb.first {
		mb.mu.Unlock()
		fs.mu.Unlock()
		return false, nil
	}
	if mb.cache == nil {
		// Do not block activity on other blocks during the load.
		mb.mu.Unlock()
		fs.mu.Unlock()
		if err := mb.loadMsgs(); err != nil {
			return false, err
		}
		fs.mu.Lock()
		// We need to check if things changed out from underneath us.
		if fs.closed {
			fs.mu.Unlock()
			return false, errStoreClosed
		}
		mb.mu.Lock()
		if mb.closed || mb.cache == nil || seq < mb.first {
			mb.mu.Unlock()
			fs.mu.Unlock()
			return false, nil
		}
	}
	defer fs.mu.Unlock()
	defer mb.mu.Unlock()
	msg, ok := mb.cache[seq]
	if _, deleted := mb.dmap[seq]; deleted || !ok {
		return false, nil
	}
	mb.bytes -= len(msg)
	fs.msgs--
	if seq == mb.first {
		mb.first++
	} else {
		mb.dmap[seq] = struct{}{}
	}
	delete(mb.cache, seq)
	return true, nil
}

func (fs *fileStore) Stop() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return
	}
	fs.closed = true
	for _, mb := range fs.blks {
		mb.close()
	}
}
