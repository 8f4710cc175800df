// Package broker is the in-process message broker of the notification
// service. Topics keep a bounded backlog so that late consumers can replay.
package broker

import (
	"errors"
	"sync"
	"time"
)

var (
	// ErrClosed is returned for operations on a closed topic.
	ErrClosed = errors.New("broker: topic closed")
	// ErrRange is returned when the requested offset is not retained any more
	// or lies beyond the next message.
	ErrRange = errors.New("broker: offset out of range")
)

// Message is one published record.
type Message struct {
	Offset int64
	Key    string
	Body   []byte
	At     time.Time
}

// Topic is an ordered stream of messages. It is safe for concurrent use.
type Topic struct {
	name   string
	retain int

	mu     sync.RWMutex
	log    []Message
	next   int64
	subs   map[*Subscription]struct{}
	closed bool
}

// NewTopic returns an empty topic that retains up to retain messages.
func NewTopic(name string, retain int) *Topic {
	if retain < 1 {
		retain = 1
	}
	return &Topic{name: name, retain: retain, subs: make(map[*Subscription]struct{})}
}

// Publish appends a message and hands it to every subscription.
func (t *Topic) Publish(key string, body []byte) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, ErrClosed
	}
	m := Message{Offset: t.next, Key: key, Body: body, At: time.Now()}
	t.next++
	t.log = append(t.log, m)
	if over := len(t.log) - t.retain; over > 0 {
		t.log = append([]Message(nil), t.log[over:]...)
	}
	for s := range t.subs {
		s.push(m)
	}
	return m.Offset, nil
}

// Consume returns a subscription that delivers, in order, every message from
// offset from onwards: first the retained ones, then new ones as they arrive.
func (t *Topic) Consume(from int64) (*Subscription, error) {
	backlog, err := t.since(from)
	if err != nil {
		return nil, err
	}
	sub := newSubscription(t)
	for _, m := range backlog {
		sub.push(m)
	}
	if err := t.attach(sub); err != nil {
		return nil, err
	}
	return sub, nil
}

// since returns a copy of the retained messages from offset from onwards.
func (t *Topic) since(from int64) ([]Message, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	first := t.next - int64(len(t.log))
	if from < first || from > t.next {
		return nil, ErrRange
	}
	return append([]Message(nil), t.log[from-first:]...), nil
}

// attach makes s receive new messages.
func (t *Topic) attach(s *Subscription) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	t.subs[s] = struct{}{}
	return nil
}

func (t *Topic) detach(s *Subscription) {
	t.mu.Lock()
	delete(t.subs, s)
	t.mu.Unlock()
}

// Close ends the topic and all its subscriptions.
func (t *Topic) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for s := range t.subs {
		s.end()
	}
	clear(t.subs)
}

// Subscription is one consumer's queue.
type Subscription struct {
	topic *Topic

	mu    sync.Mutex
	avail *sync.Cond
	queue []Message
	ended bool
}

func newSubscription(t *Topic) *Subscription {
	s := &Subscription{topic: t}
	s.avail = sync.NewCond(&s.mu)
	return s
}

func (s *Subscription) push(m Message) {
	s.mu.Lock()
	if !s.ended {
		s.queue = append(s.queue, m)
	}
	s.mu.Unlock()
	s.avail.Signal()
}

func (s *Subscription) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.avail.Broadcast()
}

// Next blocks for the next message; ok is false once the subscription ended
// and its queue is empty.
func (s *Subscription) Next() (m Message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.ended {
		s.avail.Wait()
	}
	if len(s.queue) == 0 {
		return Message{}, false
	}
	m = s.queue[0]
	s.queue = s.queue[1:]
	return m, true
}

// Cancel stops delivery.
func (s *Subscription) Cancel() {
	s.topic.detach(s)
	s.end()
}
