// Package memstore keeps the messages of a stream in memory.
package memstore

import (
	"math"
	"sync"
	"time"
)

// UpdateHandler is told about every change of the number and size of messages.
// No locks are held while it runs.
type UpdateHandler func(msgs, bytes int64, seq uint64, subject string)

type storedMsg struct {
	subject string
	data    []byte
}

// State sums up the store.
type State struct {
	Msgs  uint64
	Bytes uint64
	Last  uint64
}

// MemStore is a message store.
type MemStore struct {
	mu    sync.RWMutex
	state State
	msgs  map[uint64]*storedMsg
	ttls  *hashWheel
	timer *time.Timer
	scb   UpdateHandler // never changes
}

// New returns an empty store that reports its changes to cb.
func New(cb UpdateHandler) *MemStore {
	return &MemStore{msgs: make(map[uint64]*storedMsg), ttls: newHashWheel(), scb: cb}
}

// StoreMsg appends a message that lives for ttl, or for ever if ttl is 0.
func (ms *MemStore) StoreMsg(subject string, data []byte, ttl time.Duration) uint64 {
	ms.mu.Lock()
	ms.state.Last++
	seq := ms.state.Last
	ms.msgs[seq] = &storedMsg{subject, data}
	ms.state.Msgs++
	ms.state.Bytes += uint64(len(data))
	if ttl > 0 {
		ms.ttls.add(seq, time.Now().Add(ttl).UnixNano())
		ms.resetTimer()
	}
	ms.mu.Unlock()
	if ms.scb != nil {
		ms.scb(1, int64(len(data)), seq, subject)
	}
	return seq
}

// resetTimer arms the timer for the next expiration. Lock should be held.
func (ms *MemStore) resetTimer() {
	next := ms.ttls.nextExpiration()
	if next == math.MaxInt64 {
		return
	}
	fireIn := max(time.Until(time.Unix(0, next)), 50*time.Millisecond)
	if ms.timer == nil {
		ms.timer = time.AfterFunc(fireIn, ms.expireMsgs)
	} else {
		ms.timer.Reset(fireIn)
	}
}

// expireMsgs removes the messages whose time is over.
func (ms *MemStore) expireMsgs() {
	ms.mu.Lock()
	defer ms.mu.Unlock()

	ms.ttls.expireTasks(time.Now().UnixNano(), func(seq uint64, _ int64) bool {
		ms.removeMsg(seq)
		return true
	})
	ms.resetTimer()
}

// RemoveMsg removes one message.
func (ms *MemStore) RemoveMsg(seq uint64) bool {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.removeMsg(seq)
}

// removeMsg removes one message and reports it. Lock should be held.
func (ms *MemStore) removeMsg(seq uint64) bool {
	sm, ok := ms.msgs[seq]
	if !ok {
		return false
	}
	delete(ms.msgs, seq)
	ms.state.Msgs--
	ms.state.Bytes -= uint64(len(sm.data))

	if ms.scb != nil {
		// We do not want to hold any locks here.
		ms.mu.Unlock()
		ms.scb(-1, -int64(len(sm.data)), seq, sm.subject)
		ms.mu.Lock()
	}
	return true
}

// State returns the current totals.
func (ms *MemStore) State() State {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	return ms.state
}
