package server

import (
	"errors"
	"sync"
)

var ErrStoreClosed = errors.New("store is closed")

// jsAccount represents a jetstream account.
type jsAccount struct {
	mu      sync.RWMutex
	streams map[string]*stream

	usageMu sync.Mutex
	memUsed int64
	maxMem  int64
}

func (jsa *jsAccount) lookupStream(name string) *stream {
	jsa.mu.RLock()
	defer jsa.mu.RUnlock()
	return jsa.streams[name]
}

func (jsa *jsAccount) addStream(name string, node RaftNode) *stream {
	mset := &stream{name: name, jsa: jsa, node: node}
	mset.store = newMemStore(jsa.updateUsage)
	jsa.mu.Lock()
	jsa.streams[name] = mset
	jsa.mu.Unlock()
	return mset
}

// updateUsage is the callback of the stores of the account.
func (jsa *jsAccount) updateUsage(delta int64) {
	jsa.usageMu.Lock()
	jsa.memUsed += delta
	jsa.usageMu.Unlock()
}

// limitsExceeded is for the account info.
func (jsa *jsAccount) limitsExceeded() bool {
	jsa.usageMu.Lock()
	defer jsa.usageMu.Unlock()
	return jsa.maxMem > 0 && jsa.memUsed > jsa.maxMem
}

// stream is a jetstream stream of messages.
type stream struct {
	mu     sync.RWMutex
	name   string
	jsa    *jsAccount
	node   RaftNode
	leader bool
	closed bool
	store  *memStore
}

func (mset *stream) raftNode() RaftNode {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.node
}

func (mset *stream) setLeader(isLeader bool) {
	mset.mu.Lock()
	mset.leader = isLeader
	mset.mu.Unlock()
}

// Internal function to stop or delete the stream.
func (mset *stream) stop(deleteFlag bool) error {
	// Remove from our account map.
	mset.jsa.mu.Lock()
	delete(mset.jsa.streams, mset.name)
	mset.jsa.mu.Unlock()

	mset.mu.Lock()
	if mset.closed {
		mset.mu.Unlock()
		return nil
	}
	mset.closed = true
	// Cluster cleanup
	if n := mset.node; n != nil {
		if deleteFlag {
			n.Delete()
		} else {
			n.Stop()
		}
	}
	store := mset.store
	mset.mu.Unlock()

	if deleteFlag {
		return store.Delete()
	}
	return store.Stop()
}

type memStore struct {
	mu    sync.RWMutex
	msgs  map[uint64][]byte
	seq   uint64
	bytes int64
	scb   func(delta int64)
}

func newMemStore(scb func(delta int64)) *memStore {
	return &memStore{msgs: make(map[uint64][]byte), scb: scb}
}

// StoreMsg stores a message.
func (ms *memStore) StoreMsg(msg []byte) (uint64, error) {
	ms.mu.Lock()
	if ms.msgs == nil {
		ms.mu.Unlock()
		return 0, ErrStoreClosed
	}
	ms.seq++
	seq, cb := ms.seq, ms.scb
	ms.msgs[seq] = msg
	ms.bytes += int64(len(msg))
	ms.mu.Unlock()

	cb(int64(len(msg)))
	return seq, nil
}

// Purge will remove all messages from this store.
func (ms *memStore) Purge() {
	ms.mu.Lock()
	bytes, cb := ms.bytes, ms.scb
	ms.bytes = 0
	ms.msgs = make(map[uint64][]byte)
	ms.mu.Unlock()

	cb(-bytes)
}

func (ms *memStore) Delete() error {
	ms.Purge()
	return ms.Stop()
}

func (ms *memStore) Stop() error {
	ms.mu.Lock()
	ms.msgs = nil
	ms.mu.Unlock()
	return nil
}
