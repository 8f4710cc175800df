// Package resume lets websocket clients reconnect without losing messages:
// the server keeps what the client has not acknowledged and sends it again.
package resume

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Errors returned by a Stream.
var (
	ErrFuture   = errors.New("resume: acknowledgement of a message not sent yet")
	ErrGone     = errors.New("resume: messages are no longer available")
	ErrOverflow = errors.New("resume: client is too far behind")
)

// Message is numbered from 1.
type Message struct {
	Seq  uint64
	Data []byte
}

// Stream is the outgoing side of one client's session. It is safe for
// concurrent use.
type Stream struct {
	limit int
	work  chan struct{}
	done  chan struct{}
	once  sync.Once

	acked atomic.Uint64 // highest number the client has acknowledged

	mu     sync.Mutex
	last   uint64    // number of the latest message
	window []Message // ascending numbers, without gaps, up to last
}

// NewStream returns a stream that keeps up to limit messages.
func NewStream(limit int) *Stream {
	s := &Stream{limit: limit, work: make(chan struct{}, 1), done: make(chan struct{})}
	go s.trimmer()
	return s
}

// Close ends the session.
func (s *Stream) Close() { s.once.Do(func() { close(s.done) }) }

// Append numbers a message and keeps it.
func (s *Stream) Append(data []byte) (Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.window) >= s.limit {
		s.forget(s.acked.Load())
	}
	if len(s.window) >= s.limit {
		return Message{}, ErrOverflow
	}
	s.last++
	m := Message{Seq: s.last, Data: data}
	s.window = append(s.window, m)
	return m, nil
}

// Ack notes that the client has everything up to seq. Acknowledgements of an
// old and a new connection may come in any order.
func (s *Stream) Ack(seq uint64) error {
	if seq > s.sent() {
		return ErrFuture
	}
	for {
		old := s.acked.Load()
		if seq <= old {
			return nil
		}
		if s.acked.CompareAndSwap(old, seq) {
			break
		}
	}
	select {
	case s.work <- struct{}{}:
	default:
	}
	return nil
}

func (s *Stream) sent() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// trimmer works apart from Ack, which is called by the connection's reader.
func (s *Stream) trimmer() {
	for {
		select {
		case <-s.done:
			return
		case <-s.work:
			s.trim(s.acked.Load())
		}
	}
}

func (s *Stream) trim(seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(seq)
}

// forget drops the messages up to seq. s.mu is held.
func (s *Stream) forget(seq uint64) {
	n, found := slices.BinarySearchFunc(s.window, seq, func(m Message, seq uint64) int {
		switch {
		case m.Seq < seq:
			return -1
		case m.Seq > seq:
			return 1
		}
		return 0
	})
	if found {
		n++
	}
	s.window = slices.Delete(s.window, 0, n)
}

// Resume returns the messages after the one that the client got last.
func (s *Stream) Resume(after uint64) ([]Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after > s.last {
		return nil, ErrFuture
	}
	first := s.last - uint64(len(s.window)) // number before the window
	if after < first {
		return nil, ErrGone
	}
	return slices.Clone(s.window[after-first:]), nil
}
