// Package broker is the in-memory part of the event broker: topics with a
// retained log, and subscriptions that replay the log before they follow it.
package broker

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned by Next once the subscription was closed and its
// queue is used up.
var ErrClosed = errors.New("broker: subscription closed")

// Message is one retained record.
type Message struct {
	Offset  int64
	Key     string
	Payload []byte
}

// Topic is an ordered log with its live subscriptions. It is safe for
// concurrent use by publishers and subscribers.
type Topic struct {
	name   string
	retain int

	mu   sync.Mutex
	base int64 // offset of log[0]
	log  []Message
	subs map[*Subscription]struct{}
}

// NewTopic returns a topic that keeps the last retain messages.
func NewTopic(name string, retain int) *Topic {
	return &Topic{name: name, retain: retain, subs: make(map[*Subscription]struct{})}
}

// Publish appends a message and hands it to every live subscription. It
// returns the offset the message was stored at.
func (t *Topic) Publish(key string, payload []byte) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := Message{Offset: t.base + int64(len(t.log)), Key: key, Payload: payload}
	t.log = append(t.log, m)
	if over := len(t.log) - t.retain; over > 0 {
		t.log = append([]Message(nil), t.log[over:]...)
		t.base += int64(over)
	}
	for s := range t.subs {
		s.push(m)
	}
	return m.Offset
}

// sinceLocked returns the retained messages at or after the offset. The caller
// holds t.mu.
func (t *Topic) sinceLocked(offset int64) []Message {
	skip := max(offset-t.base, 0)
	if skip >= int64(len(t.log)) {
		return nil
	}
	return t.log[skip:]
}

// detach stops delivery to s.
func (t *Topic) detach(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.subs, s)
}

// Subscribe returns a subscription that delivers the retained messages from
// the given offset on, followed by everything that is published later, in
// offset order and without holes.
func (t *Topic) Subscribe(from int64) *Subscription {
	s := newSubscription(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.sinceLocked(from) {
		s.push(m)
	}
	t.subs[s] = struct{}{}
	return s
}

// Subscription is the receiving end for one consumer.
type Subscription struct {
	topic *Topic

	mu     sync.Mutex
	queue  []Message
	closed bool
	wake   chan struct{}
}

func newSubscription(t *Topic) *Subscription {
	return &Subscription{topic: t, wake: make(chan struct{}, 1)}
}

// push queues m for the consumer.
func (s *Subscription) push(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.queue = append(s.queue, m)
	s.signal()
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// pop takes the oldest queued message.
func (s *Subscription) pop() (m Message, ok, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return Message{}, false, s.closed
	}
	m = s.queue[0]
	s.queue = s.queue[1:]
	return m, true, s.closed
}

// Next waits for the next message. Only the consumer that owns the
// subscription calls it.
func (s *Subscription) Next(ctx context.Context) (Message, error) {
	for {
		m, ok, closed := s.pop()
		if ok {
			return m, nil
		}
		if closed {
			return Message{}, ErrClosed
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Message{}, ctx.Err()
		}
	}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.topic.detach(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.signal()
}
