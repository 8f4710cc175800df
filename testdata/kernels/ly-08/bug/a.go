package a

import (
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	errNoMessage  = errors.New("no message found")
	errMinLastSeq = errors.New("min last sequence")
)

type StoreMsg struct {
	subj string
	msg  []byte
	seq  uint64
	ts   time.Time
}

// memStore keeps the messages of a stream.
type memStore struct {
	mu   sync.RWMutex
	msgs []*StoreMsg
	last uint64
}

func (ms *memStore) StoreMsg(subj string, msg []byte) uint64 {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.last++
	ms.msgs = append(ms.msgs, &StoreMsg{subj, msg, ms.last, time.Now()})
	return ms.last
}

// Compact removes all messages before seq.
func (ms *memStore) Compact(seq uint64) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.msgs = ms.msgs[ms.index(seq):]
}

func (ms *memStore) LastSeq() uint64 {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	return ms.last
}

// GetSeqFromTime returns the first sequence at or after t.
func (ms *memStore) GetSeqFromTime(t time.Time) uint64 {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	i := sort.Search(len(ms.msgs), func(i int) bool { return !ms.msgs[i].ts.Before(t) })
	if i == len(ms.msgs) {
		return ms.last + 1
	}
	return ms.msgs[i].seq
}

// LoadMsg returns the message with exactly the sequence seq.
func (ms *memStore) LoadMsg(seq uint64) (*StoreMsg, error) {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	if i := ms.index(seq); i < len(ms.msgs) && ms.msgs[i].seq == seq {
		return ms.msgs[i], nil
	}
	return nil, errNoMessage
}

// LoadLastMsg returns the last message of a subject.
func (ms *memStore) LoadLastMsg(subj string) (*StoreMsg, error) {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	for i := len(ms.msgs) - 1; i >= 0; i-- {
		if ms.msgs[i].subj == subj {
			return ms.msgs[i], nil
		}
	}
	return nil, errNoMessage
}

func (ms *memStore) index(seq uint64) int {
	return sort.Search(len(ms.msgs), func(i int) bool { return ms.msgs[i].seq >= seq })
}

type stream struct {
	mu      sync.RWMutex // held for writing by all changes of the store
	store   *memStore
	maxMsgs uint64
}

func newStream(maxMsgs uint64) *stream {
	return &stream{store: &memStore{}, maxMsgs: maxMsgs}
}

func (mset *stream) lastSeq() uint64 {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.store.LastSeq()
}

// processJetStreamMsg stores a published message and enforces the limits.
func (mset *stream) processJetStreamMsg(subj string, msg []byte) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if seq := mset.store.StoreMsg(subj, msg); seq > mset.maxMsgs {
		mset.store.Compact(seq - mset.maxMsgs + 1)
	}
}

// JSApiMsgGetRequest asks for one message.
type JSApiMsgGetRequest struct {
	Seq        uint64
	LastFor    string
	StartTime  *time.Time
	MinLastSeq uint64
}

// Server answers the requests for its streams.
type Server struct {
	mu      sync.RWMutex
	streams map[string]*stream
}

func (s *Server) lookupStream(name string) *stream {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.streams[name]
}

func (s *Server) jsMsgGetRequest(name string, req *JSApiMsgGetRequest) (*StoreMsg, error) {
	mset := s.lookupStream(name)
	if mset == nil {
		return nil, errors.New("stream not found")
	}
	// Reject request if we can't guarantee the precondition of min last sequence.
	if req.MinLastSeq > 0 && mset.lastSeq() < req.MinLastSeq {
		return nil, errMinLastSeq
	}

	// If AsOfTime is set, perform this first to get the sequence.
	var seq uint64
	if req.StartTime != nil {
		seq = mset.store.GetSeqFromTime(*req.StartTime)
	} else {
		seq = req.Seq
	}

	if seq > 0 {
		return mset.store.LoadMsg(seq)
	}
	return mset.store.LoadLastMsg(req.LastFor)
}
