package a

import (
	"sync"
	"time"
)

type streamState struct{ Msgs, Bytes, FirstSeq, LastSeq uint64 }

type storedMsg struct {
	subj string
	msg  []byte
	seq  uint64
	ts   int64
}

type memStore struct {
	mu     sync.RWMutex
	state  streamState
	msgs   map[uint64]*storedMsg
	maxAge time.Duration
	ageChk *time.Timer
	scb    func(msgs, bytes int64, seq uint64, subj string)
}

func newMemStore(maxAge time.Duration) *memStore {
	return &memStore{msgs: make(map[uint64]*storedMsg), maxAge: maxAge, state: streamState{FirstSeq: 1}}
}

func (ms *memStore) StoreMsg(subj string, msg []byte) uint64 {
	ms.mu.Lock()
	seq := ms.state.LastSeq + 1
	ms.msgs[seq] = &storedMsg{subj, msg, seq, time.Now().UnixNano()}
	ms.state.Msgs++
	ms.state.Bytes += uint64(len(msg))
	ms.state.LastSeq = seq
	if ms.ageChk == nil && ms.maxAge != 0 {
		ms.ageChk = time.AfterFunc(ms.maxAge, ms.expireMsgs)
	}
	ms.mu.Unlock()
	if ms.scb != nil {
		ms.scb(1, int64(len(msg)), seq, subj)
	}
	return seq
}

func (ms *memStore) LoadMsg(seq uint64) (string, []byte) {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	if sm, ok := ms.msgs[seq]; ok {
		return sm.subj, sm.msg
	}
	return "", nil
}

func (ms *memStore) expireMsgs() {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	minAge := time.Now().Add(-ms.maxAge).UnixNano()
	for {
		sm, ok := ms.msgs[ms.state.FirstSeq]
		if !ok {
			ms.ageChk = nil
			return
		}
		if sm.ts > minAge {
			ms.ageChk.Reset(time.Duration(sm.ts - minAge))
			return
		}
		ms.removeMsg(ms.state.FirstSeq)
	}
}

// RemoveMsg removes the message from the store.
func (ms *memStore) RemoveMsg(seq uint64) bool {
	ms.mu.Lock()
	removed := ms.removeMsg(seq)
	ms.mu.Unlock()
	return removed
}

// removeMsg removes the message referenced by seq. Lock should be held.
func (ms *memStore) removeMsg(seq uint64) bool {
	sm, ok := ms.msgs[seq]
	if !ok {
		return false
	}
	ss := uint64(len(sm.msg))

	delete(ms.msgs, seq)
	ms.state.Msgs--
	ms.state.Bytes -= ss
	ms.updateFirstSeq(seq)

	if ms.scb != nil {
		ms.mu.Unlock()
		delta := int64(ss)
		ms.scb(-1, -delta, seq, sm.subj)
		ms.mu.Lock()
	}
	return ok
}

func (ms *memStore) updateFirstSeq(seq uint64) {
	if seq != ms.state.FirstSeq {
		return
	}
	for seq++; seq <= ms.state.LastSeq && ms.msgs[seq] == nil; seq++ {
	}
	ms.state.FirstSeq = seq
}

// Stream is a stream on top of an in-memory store.
type Stream struct {
	mu      sync.Mutex
	store   *memStore
	pending map[string]int64
	usage   int64
}

func NewStream(maxAge time.Duration) *Stream {
	s := &Stream{store: newMemStore(maxAge), pending: make(map[string]int64)}
	s.store.scb = s.storeUpdates
	return s
}

func (s *Stream) storeUpdates(md, bd int64, seq uint64, subj string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if md == -1 {
		s.pending[subj]--
	}
	s.usage += bd
}

func (s *Stream) Publish(subj string, msg []byte) uint64 {
	s.mu.Lock()
	s.pending[subj]++
	s.mu.Unlock()
	return s.store.StoreMsg(subj, msg)
}

func (s *Stream) DeleteMsg(seq uint64) bool { return s.store.RemoveMsg(seq) }

func (s *Stream) ProcessAck(seq uint64) { go s.store.RemoveMsg(seq) }
