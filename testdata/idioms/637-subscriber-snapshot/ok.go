// Package configbus tells the parts of a service about changed settings.
package configbus

import (
	"slices"
	"sync"
)

// Change is a setting that was changed.
type Change struct {
	Key   string
	Value string
	Seq   uint64
}

// Subscription receives changes.
type Subscription struct {
	bus    *Bus
	prefix string

	mu      sync.Mutex
	ch      chan Change
	open    bool
	dropped int
}

// C returns the channel of changes. It is closed by Cancel.
func (s *Subscription) C() <-chan Change { return s.ch }

// Dropped returns how many changes did not fit in the channel.
func (s *Subscription) Dropped() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

func (s *Subscription) offer(c Change) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return false
	}
	select {
	case s.ch <- c:
		return true
	default:
		s.dropped++
		return false
	}
}

func (s *Subscription) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		s.open = false
		close(s.ch)
	}
}

// Cancel ends the subscription.
func (s *Subscription) Cancel() {
	s.bus.forget(s)
	s.shut()
}

// Bus delivers changes to subscriptions.
type Bus struct {
	mu     sync.Mutex
	subs   []*Subscription
	seq    uint64
	closed bool

	order sync.Mutex
}

// Subscribe returns a subscription to keys with a prefix.
func (b *Bus) Subscribe(prefix string, buffer int) *Subscription {
	s := &Subscription{bus: b, prefix: prefix, ch: make(chan Change, buffer), open: true}
	b.mu.Lock()
	closed := b.closed
	if !closed {
		b.subs = append(b.subs, s)
	}
	b.mu.Unlock()
	if closed {
		s.shut()
	}
	return s
}

func (b *Bus) forget(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.subs, s); i >= 0 {
		b.subs = slices.Delete(b.subs, i, i+1)
	}
}

func (b *Bus) audience(key string) (subs []*Subscription, seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	for _, s := range b.subs {
		if len(key) >= len(s.prefix) && key[:len(s.prefix)] == s.prefix {
			subs = append(subs, s)
		}
	}
	return subs, b.seq
}

// Publish delivers a change and returns how many subscriptions took it.
func (b *Bus) Publish(key, value string) (taken int) {
	b.order.Lock()
	defer b.order.Unlock()
	subs, seq := b.audience(key)
	for _, s := range subs {
		if s.offer(Change{Key: key, Value: value, Seq: seq}) {
			taken++
		}
	}
	return taken
}

// Close ends all subscriptions.
func (b *Bus) Close() {
	b.mu.Lock()
	subs := b.subs
	b.subs, b.closed = nil, true
	b.mu.Unlock()
	for _, s := range subs {
		s.shut()
	}
}
