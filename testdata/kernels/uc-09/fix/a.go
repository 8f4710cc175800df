package a

import (
	"slices"
	"sync"
)

// Message is what is published on a topic.
type Message struct {
	Topic string
	Body  []byte
}

// Subscription receives the messages of one topic.
type Subscription struct {
	bus   *Bus
	topic string

	// mu is held while ch is sent to or closed.
	mu      sync.Mutex
	ch      chan Message
	dropped uint64
}

// C is closed when the subscription ends.
func (s *Subscription) C() <-chan Message { return s.ch }

// Dropped counts messages lost because the receiver was slow.
func (s *Subscription) Dropped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

// offer hands over a message unless the receiver is behind.
func (s *Subscription) offer(m Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.ch <- m:
		return true
	default:
		s.dropped++
		return false
	}
}

// Bus connects publishers and subscribers inside a process.
type Bus struct {
	mu    sync.RWMutex
	subs  map[string][]*Subscription
	depth int
}

// NewBus makes a bus whose subscribers may lag by depth messages.
func NewBus(depth int) *Bus {
	return &Bus{subs: make(map[string][]*Subscription), depth: depth}
}

// Subscribe starts to receive a topic.
func (b *Bus) Subscribe(topic string) *Subscription {
	s := &Subscription{bus: b, topic: topic, ch: make(chan Message, b.depth)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[topic] = append(b.subs[topic], s)
	return s
}

// Cancel ends the subscription. It may be called more than once.
func (s *Subscription) Cancel() {
	b := s.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.subs[s.topic]
	i := slices.Index(list, s)
	if i < 0 {
		return
	}
	if len(list) == 1 {
		delete(b.subs, s.topic)
	} else {
		b.subs[s.topic] = slices.Delete(slices.Clone(list), i, i+1)
	}
	s.mu.Lock()
	close(s.ch)
	s.mu.Unlock()
}

// subscribers lists those who listen to a topic.
func (b *Bus) subscribers(topic string) []*Subscription {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Clone(b.subs[topic])
}

// Publish offers a message to all subscribers of its topic and returns how
// many took it. It does not wait for slow ones.
func (b *Bus) Publish(m Message) int {
	n := 0
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, s := range b.subs[m.Topic] {
		if s.offer(m) {
			n++
		}
	}
	return n
}

// Lag says how far the slowest subscriber of a topic is behind.
func (b *Bus) Lag(topic string) int {
	lag := 0
	for _, s := range b.subscribers(topic) {
		lag = max(lag, len(s.ch))
	}
	return lag
}
