package bug

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned by Next after Close.
var ErrClosed = errors.New("subscription closed")

// Msg is one message of a stream.
type Msg struct {
	Seq  uint64
	Data []byte
}

// Stream keeps the last messages and passes new ones to its subscribers.
type Stream struct {
	keep int

	mu   sync.RWMutex
	last uint64
	msgs []Msg
	subs map[uint64]*Sub
	next uint64
}

func NewStream(keep int) *Stream {
	return &Stream{keep: keep, subs: make(map[uint64]*Sub)}
}

// Publish stores the message and hands it to everybody.
func (s *Stream) Publish(data []byte) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	m := Msg{Seq: s.last, Data: data}
	s.msgs = append(s.msgs, m)
	if over := len(s.msgs) - s.keep; over > 0 {
		s.msgs = append([]Msg(nil), s.msgs[over:]...)
	}
	for _, sub := range s.subs {
		sub.offer(m)
	}
	return m.Seq
}

func (s *Stream) since(seq uint64) []Msg {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Msg
	for _, m := range s.msgs {
		if m.Seq >= seq {
			out = append(out, m)
		}
	}
	return out
}

func (s *Stream) attach(sub *Sub) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	sub.id = s.next
	s.subs[sub.id] = sub
}

func (s *Stream) detach(sub *Sub) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.subs, sub.id)
}

// SubscribeFrom delivers all kept messages from seq on and then the new
// ones.
func (s *Stream) SubscribeFrom(seq uint64) *Sub {
	sub := &Sub{stream: s, bell: make(chan struct{}, 1)}
	for _, m := range s.since(seq) {
		sub.offer(m)
	}
	s.attach(sub)
	return sub
}

// Sub is a subscription; Next is for one goroutine.
type Sub struct {
	stream *Stream
	id     uint64
	bell   chan struct{}

	mu     sync.Mutex
	queue  []Msg
	closed bool
}

func (u *Sub) offer(m Msg) {
	u.mu.Lock()
	if !u.closed {
		u.queue = append(u.queue, m)
	}
	u.mu.Unlock()
	u.ring()
}

func (u *Sub) ring() {
	select {
	case u.bell <- struct{}{}:
	default:
	}
}

// Next waits for a message.
func (u *Sub) Next(ctx context.Context) (Msg, error) {
	for {
		u.mu.Lock()
		if u.closed {
			u.mu.Unlock()
			return Msg{}, ErrClosed
		}
		if len(u.queue) > 0 {
			m := u.queue[0]
			u.queue = u.queue[1:]
			u.mu.Unlock()
			return m, nil
		}
		u.mu.Unlock()
		select {
		case <-u.bell:
		case <-ctx.Done():
			return Msg{}, ctx.Err()
		}
	}
}

// Close ends the subscription.
func (u *Sub) Close() {
	u.stream.detach(u)
	u.mu.Lock()
	u.closed = true
	u.queue = nil
	u.mu.Unlock()
	u.ring()
}
