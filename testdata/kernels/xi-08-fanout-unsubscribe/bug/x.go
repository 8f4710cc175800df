// Package fanout delivers notifications to the subscribers of a topic.
package fanout

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrNoSubscriber is returned when a subscription id is not (or no longer)
// known.
var ErrNoSubscriber = errors.New("fanout: no such subscriber")

// Notification is one event of a topic.
type Notification struct {
	Kind    string
	Payload []byte
}

type subscriber struct {
	id      uint64
	kinds   map[string]bool // empty means all
	ch      chan Notification
	dropped atomic.Uint64
}

func (s *subscriber) wants(kind string) bool {
	return len(s.kinds) == 0 || s.kinds[kind]
}

// Topic fans notifications out in the order of subscription.
type Topic struct {
	name   string
	nextID atomic.Uint64

	mu   sync.RWMutex
	subs []*subscriber
}

// NewTopic returns a topic without subscribers.
func NewTopic(name string) *Topic { return &Topic{name: name} }

// Name returns the name of the topic.
func (t *Topic) Name() string { return t.name }

// Subscribe adds a subscriber for the given kinds, or for all if there are
// none. The channel is closed by Unsubscribe.
func (t *Topic) Subscribe(buffer int, kinds ...string) (uint64, <-chan Notification) {
	s := &subscriber{
		id:    t.nextID.Add(1),
		kinds: make(map[string]bool, len(kinds)),
		ch:    make(chan Notification, buffer),
	}
	for _, k := range kinds {
		s.kinds[k] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs = append(t.subs, s)
	return s.id, s.ch
}

// position finds a subscriber.
func (t *Topic) position(id uint64) int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i, s := range t.subs {
		if s.id == id {
			return i
		}
	}
	return -1
}

// Unsubscribe ends a subscription and closes its channel.
func (t *Topic) Unsubscribe(id uint64) error {
	i := t.position(id)
	if i < 0 {
		return ErrNoSubscriber
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subs[i]
	t.subs = append(t.subs[:i], t.subs[i+1:]...)
	close(s.ch)
	return nil
}

// Publish hands n to every subscriber that wants it. Subscribers whose buffer
// is full miss it.
func (t *Topic) Publish(n Notification) (delivered int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.subs {
		if !s.wants(n.Kind) {
			continue
		}
		select {
		case s.ch <- n:
			delivered++
		default:
			s.dropped.Add(1)
		}
	}
	return delivered
}

// Dropped returns how many notifications the subscriber has missed.
func (t *Topic) Dropped(id uint64) (uint64, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.subs {
		if s.id == id {
			return s.dropped.Load(), nil
		}
	}
	return 0, ErrNoSubscriber
}
