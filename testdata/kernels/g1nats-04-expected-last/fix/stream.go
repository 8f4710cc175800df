// Package fix publishes messages through a replicated log.
package fix

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	errClosed  = errors.New("stream is closed")
	errTooBig  = errors.New("message is too big")
	errBacklog = errors.New("too many open proposals")
)

// WrongLast tells that the last sequence of a subject is not the expected one.
type WrongLast struct{ Have, Want uint64 }

func (e *WrongLast) Error() string {
	return fmt.Sprintf("last sequence is %d, not %d", e.Have, e.Want)
}

type stored struct {
	seq     uint64
	subject string
	data    []byte
}

type memstore struct {
	mu   sync.RWMutex
	msgs []stored
	last map[string]uint64
}

func (m *memstore) lastFor(subject string) uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.last[subject]
}

func (m *memstore) put(seq uint64, subject string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.msgs = append(m.msgs, stored{seq, subject, data})
	m.last[subject] = seq
}

func (m *memstore) size() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.msgs)
}

// Message is what a client publishes.
type Message struct {
	Subject string
	Data    []byte
	Expect  *uint64
}

type proposal struct {
	msg   Message
	reply chan result
}

type result struct {
	seq uint64
	err error
}

// Stream orders the messages of many clients.
type Stream struct {
	mu       sync.Mutex
	seq      uint64
	failures uint64
	maxSize  int
	store    *memstore

	clustered bool
	inflight  atomic.Int64
	log       chan proposal
	quit      chan struct{}
	once      sync.Once
}

// NewStream returns a stream; a clustered one runs its own apply loop.
func NewStream(clustered bool, maxSize int) *Stream {
	s := &Stream{
		maxSize:   maxSize,
		store:     &memstore{last: make(map[string]uint64)},
		clustered: clustered,
		log:       make(chan proposal, 256),
		quit:      make(chan struct{}),
	}
	if clustered {
		go s.applyLoop()
	}
	return s
}

// Close ends the stream.
func (s *Stream) Close() { s.once.Do(func() { close(s.quit) }) }

// Publish stores a message and returns its sequence.
func (s *Stream) Publish(m Message) (uint64, error) {
	if s.clustered {
		return s.propose(m)
	}
	return s.process(m)
}

func (s *Stream) propose(m Message) (uint64, error) {
	s.mu.Lock()
	max := s.maxSize
	s.mu.Unlock()
	if max > 0 && len(m.Data) > max {
		return 0, errTooBig
	}
	if m.Expect != nil && *m.Expect > 0 {
		if have := s.store.lastFor(m.Subject); have != *m.Expect {
			return 0, &WrongLast{have, *m.Expect}
		}
	}
	if s.inflight.Add(1) > 10000 {
		s.inflight.Add(-1)
		return 0, errBacklog
	}
	p := proposal{m, make(chan result, 1)}
	select {
	case s.log <- p:
	case <-s.quit:
		s.inflight.Add(-1)
		return 0, errClosed
	}
	select {
	case r := <-p.reply:
		return r.seq, r.err
	case <-s.quit:
		return 0, errClosed
	}
}

func (s *Stream) applyLoop() {
	for {
		select {
		case p := <-s.log:
			seq, err := s.process(p.msg)
			s.inflight.Add(-1)
			p.reply <- result{seq, err}
		case <-s.quit:
			return
		}
	}
}

func (s *Stream) process(m Message) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.maxSize > 0 && len(m.Data) > s.maxSize {
		s.failures++
		return 0, errTooBig
	}
	if m.Expect != nil {
		if have := s.store.lastFor(m.Subject); have != *m.Expect {
			s.failures++
			return 0, &WrongLast{have, *m.Expect}
		}
	}
	s.seq++
	s.store.put(s.seq, m.Subject, m.Data)
	return s.seq, nil
}

// SetMaxSize changes the size limit.
func (s *Stream) SetMaxSize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maxSize = n
}

// Info returns counters of the stream.
func (s *Stream) Info() (msgs int, last, failures uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.size(), s.seq, s.failures
}
