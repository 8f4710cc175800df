// Package broker is the message broker inside the field gateway. Controllers
// publish set points as retained messages; a device that subscribes gets the
// last retained message of the topic first and then everything that follows.
package broker

import (
	"context"
	"time"
)

// Message is one published value.
type Message struct {
	Topic   string
	Payload []byte
	Retain  bool
	Sent    time.Time
}

// Subscription is the inbox of one device. When the device does not keep up,
// the oldest messages are dropped.
type Subscription struct {
	topic string
	inbox chan Message
}

func newSubscription(topic string, depth int) *Subscription {
	return &Subscription{topic: topic, inbox: make(chan Message, max(depth, 1))}
}

// C returns the channel on which messages arrive. It is closed when the
// subscription ends.
func (s *Subscription) C() <-chan Message { return s.inbox }

// offer puts m into the inbox, making room if need be.
func (s *Subscription) offer(m Message) {
	for {
		select {
		case s.inbox <- m:
			return
		default:
		}
		select {
		case <-s.inbox:
		default:
		}
	}
}

// Broker passes messages on. It is safe for concurrent use.
type Broker struct {
	sem      chan struct{} // holds a token while the fields below are in use
	retained map[string]Message
	subs     map[string]map[*Subscription]struct{}
}

// New returns a broker without topics.
func New() *Broker {
	return &Broker{
		sem:      make(chan struct{}, 1),
		retained: make(map[string]Message),
		subs:     make(map[string]map[*Subscription]struct{}),
	}
}

func (b *Broker) acquire() { b.sem <- struct{}{} }
func (b *Broker) release() { <-b.sem }

// Publish delivers m to the subscribers of its topic. It gives up when ctx
// ends before the broker is free.
func (b *Broker) Publish(ctx context.Context, m Message) error {
	select {
	case b.sem <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer b.release()
	if m.Retain {
		if len(m.Payload) == 0 {
			delete(b.retained, m.Topic)
		} else {
			b.retained[m.Topic] = m
		}
	}
	for s := range b.subs[m.Topic] {
		s.offer(m)
	}
	return nil
}

// Subscribe opens an inbox for topic.
func (b *Broker) Subscribe(topic string, depth int) *Subscription {
	s := newSubscription(topic, depth)

	b.acquire()
	m, ok := b.retained[topic]
	b.release()
	if ok {
		s.offer(m)
	}

	b.acquire()
	b.attach(s)
	b.release()
	return s
}

// attach adds s to the subscribers of its topic. The caller has acquired b.
func (b *Broker) attach(s *Subscription) {
	set := b.subs[s.topic]
	if set == nil {
		set = make(map[*Subscription]struct{})
		b.subs[s.topic] = set
	}
	set[s] = struct{}{}
}

// Unsubscribe ends s and closes its channel.
func (b *Broker) Unsubscribe(s *Subscription) {
	b.acquire()
	defer b.release()
	set := b.subs[s.topic]
	if _, ok := set[s]; !ok {
		return
	}
	delete(set, s)
	if len(set) == 0 {
		delete(b.subs, s.topic)
	}
	close(s.inbox)
}

// Retained returns the number of retained messages.
func (b *Broker) Retained() int {
	b.acquire()
	defer b.release()
	return len(b.retained)
}
