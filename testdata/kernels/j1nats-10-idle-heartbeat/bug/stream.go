// Package server stores messages and delivers them to consumers.
package server

import "sync"

type storedMsg struct {
	seq uint64
	msg []byte
}

// jsPubMsg is a message for a client.
type jsPubMsg struct {
	subj, reply string
	hdr, msg    []byte
}

// jsOutQ sends to the clients of the stream.
type jsOutQ struct{ ch chan<- *jsPubMsg }

func (q *jsOutQ) send(m *jsPubMsg) { q.ch <- m }

// memStore keeps the messages of a stream.
type memStore struct {
	mu          sync.RWMutex
	first, last uint64
	msgs        map[uint64]*storedMsg
}

func (ms *memStore) storeMsg(msg []byte) uint64 {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.last++
	ms.msgs[ms.last] = &storedMsg{ms.last, msg}
	return ms.last
}

// loadNextMsg returns the first message that has a sequence or a later one.
func (ms *memStore) loadNextMsg(seq uint64) *storedMsg {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	for seq = max(seq, ms.first); seq <= ms.last; seq++ {
		if sm := ms.msgs[seq]; sm != nil {
			return sm
		}
	}
	return nil
}

// purge removes all messages and returns the next first sequence.
func (ms *memStore) purge() uint64 {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	clear(ms.msgs)
	ms.first = ms.last + 1
	return ms.first
}

// stream is a stream with its consumers.
type stream struct {
	store *memStore
	outq  *jsOutQ

	mu        sync.RWMutex
	consumers []*consumer
}

// NewStream returns an empty stream.
func NewStream(clients chan<- *jsPubMsg) *stream {
	return &stream{
		store: &memStore{first: 1, msgs: make(map[uint64]*storedMsg)},
		outq:  &jsOutQ{ch: clients},
	}
}

// AddConsumer starts to deliver to a subject.
func (mset *stream) AddConsumer(cfg ConsumerConfig) *consumer {
	o := &consumer{
		mset: mset, cfg: cfg, sseq: 1, dseq: 1, active: true, outq: mset.outq,
		mch: make(chan struct{}, 1), inch: make(chan bool, 1), qch: make(chan struct{}),
	}
	mset.mu.Lock()
	mset.consumers = append(mset.consumers, o)
	mset.mu.Unlock()
	go o.loopAndGatherMsgs(o.qch)
	return o
}

// ProcessInboundMsg stores a message and wakes the consumers.
func (mset *stream) ProcessInboundMsg(msg []byte) uint64 {
	seq := mset.store.storeMsg(msg)
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	for _, o := range mset.consumers {
		o.signalNewMessages()
	}
	return seq
}

// Purge removes all messages of the stream.
func (mset *stream) Purge() {
	first := mset.store.purge()
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	for _, o := range mset.consumers {
		o.purge(first)
	}
}
