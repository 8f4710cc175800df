// Package bus delivers domain events to in-process subscribers.
package bus

import (
	"errors"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("bus: closed")

type Event struct {
	Topic string
	Data  any
}

type Subscription struct {
	C       <-chan Event
	ch      chan Event
	topic   string
	dropped atomic.Int64
}

func (s *Subscription) Dropped() int64 { return s.dropped.Load() }

type Bus struct {
	buffer int

	mu     sync.RWMutex
	closed bool
	subs   map[string][]*Subscription
}

func New(buffer int) *Bus {
	return &Bus{buffer: buffer, subs: make(map[string][]*Subscription)}
}

func (b *Bus) Closed() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.closed
}

func (b *Bus) Subscribe(topic string) (*Subscription, error) {
	ch := make(chan Event, b.buffer)
	s := &Subscription{C: ch, ch: ch, topic: topic}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, ErrClosed
	}
	b.subs[topic] = append(b.subs[topic], s)
	return s, nil
}

// send hands ev to s without blocking; b.mu is held for reading.
func (s *Subscription) send(ev Event) {
	select {
	case s.ch <- ev:
	default:
		s.dropped.Add(1)
	}
}

func (b *Bus) deliver(ev Event) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return ErrClosed
	}
	for _, s := range b.subs[ev.Topic] {
		s.send(ev)
	}
	return nil
}

// Publish encodes data, unless there is no one left to read it.
func (b *Bus) Publish(topic string, encode func() (any, error)) error {
	if b.Closed() {
		return ErrClosed
	}
	data, err := encode()
	if err != nil {
		return err
	}
	return b.deliver(Event{Topic: topic, Data: data})
}

// Unsubscribe ends s; its channel is closed once.
func (b *Bus) Unsubscribe(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.subs[s.topic]
	for i, t := range list {
		if t == s {
			b.subs[s.topic] = append(list[:i:i], list[i+1:]...)
			close(s.ch)
			return
		}
	}
}

func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	for _, list := range b.subs {
		for _, s := range list {
			close(s.ch)
		}
	}
	clear(b.subs)
}
