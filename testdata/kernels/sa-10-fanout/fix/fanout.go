// Package fanout distributes events to subscribers. A subscriber that is slow
// loses its oldest events and does not hold up the others.
package fanout

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Event is something that happened.
type Event struct {
	Topic string
	Time  time.Time
	Body  []byte
}

// Subscription receives the events of one topic.
type Subscription struct {
	topic   string
	broker  *Broker
	ch      chan Event
	dropped atomic.Uint64
}

// Events is the stream of events. It is closed by Cancel.
func (s *Subscription) Events() <-chan Event { return s.ch }

// Dropped counts the events that were discarded.
func (s *Subscription) Dropped() uint64 { return s.dropped.Load() }

// Cancel ends the subscription.
func (s *Subscription) Cancel() { s.broker.remove(s) }

// push queues ev, at the cost of the oldest event if the queue is full. The
// broker's lock is held, so there is no other sender.
func (s *Subscription) push(ev Event) {
	if len(s.ch) == cap(s.ch) {
		select {
		case <-s.ch:
			s.dropped.Add(1)
		default:
		}
	}
	s.ch <- ev
}

// Broker knows the subscriptions.
type Broker struct {
	mu   sync.Mutex
	subs map[string]map[*Subscription]struct{}
}

// NewBroker returns a broker without subscriptions.
func NewBroker() *Broker {
	return &Broker{subs: make(map[string]map[*Subscription]struct{})}
}

// Subscribe returns a subscription to topic that queues up to size events.
func (b *Broker) Subscribe(topic string, size int) *Subscription {
	s := &Subscription{topic: topic, broker: b, ch: make(chan Event, max(size, 1))}
	b.mu.Lock()
	defer b.mu.Unlock()
	set := b.subs[topic]
	if set == nil {
		set = make(map[*Subscription]struct{})
		b.subs[topic] = set
	}
	set[s] = struct{}{}
	return s
}

func (b *Broker) remove(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	set := b.subs[s.topic]
	if _, ok := set[s]; !ok {
		return
	}
	delete(set, s)
	if len(set) == 0 {
		delete(b.subs, s.topic)
	}
	close(s.ch)
}

// Publish sends an event to the subscribers of topic.
func (b *Broker) Publish(topic string, body []byte) {
	ev := Event{Topic: topic, Time: time.Now(), Body: body}
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs[topic] {
		s.push(ev)
	}
}

// Handle calls fn for the events of topic on a goroutine of its own until ctx
// is done.
func (b *Broker) Handle(ctx context.Context, topic string, size int, fn func(Event)) *Subscription {
	s := b.Subscribe(topic, size)
	go func() {
		defer s.Cancel()
		for {
			select {
			case <-ctx.Done():
				return
			case ev, ok := <-s.Events():
				if !ok {
					return
				}
				fn(ev)
			}
		}
	}()
	return s
}
