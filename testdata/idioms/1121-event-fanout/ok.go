// Correct: Publish goes through a list of subscribers that may be replaced
// while it does: the list is copied on write and never changed in place, and a
// subscriber that has left in the meantime refuses the event itself, under its
// own lock.

// Package ok hands events to subscribers.
package ok

import (
	"slices"
	"sync"
	"sync/atomic"
)

type Event struct {
	Topic string
	Data  any
}

// Subscription collects the events of one subscriber.
type Subscription struct {
	bus   *Bus
	topic string
	limit int

	mu      sync.Mutex
	ready   *sync.Cond
	queue   []Event
	dropped int
	closed  bool
}

func (s *Subscription) offer(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if len(s.queue) >= s.limit {
		s.queue = s.queue[1:]
		s.dropped++
	}
	s.queue = append(s.queue, e)
	s.ready.Signal()
}

// Next blocks for an event; it is false when the subscription is closed.
func (s *Subscription) Next() (Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.closed {
		s.ready.Wait()
	}
	if s.closed {
		return Event{}, false
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	return e, true
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.bus.remove(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.queue = nil
	s.ready.Broadcast()
}

type Bus struct {
	mu   sync.Mutex // for writers of subs
	subs atomic.Pointer[[]*Subscription]
}

func NewBus() *Bus {
	b := new(Bus)
	b.subs.Store(new([]*Subscription))
	return b
}

// Subscribe adds a subscriber to a topic.
func (b *Bus) Subscribe(topic string, limit int) *Subscription {
	s := &Subscription{bus: b, topic: topic, limit: max(limit, 1)}
	s.ready = sync.NewCond(&s.mu)
	b.mu.Lock()
	defer b.mu.Unlock()
	next := append(slices.Clone(*b.subs.Load()), s)
	b.subs.Store(&next)
	return s
}

func (b *Bus) remove(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := slices.DeleteFunc(slices.Clone(*b.subs.Load()), func(x *Subscription) bool { return x == s })
	b.subs.Store(&next)
}

// Publish hands the event to all subscribers of its topic.
func (b *Bus) Publish(e Event) {
	for _, s := range *b.subs.Load() {
		if s.topic == e.Topic {
			s.offer(e)
		}
	}
}

// Subscribers counts them.
func (b *Bus) Subscribers() int { return len(*b.subs.Load()) }
