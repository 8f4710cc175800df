// Package eventlog is the in-memory part of a message broker: topics with a
// bounded history that consumers can replay before they follow it live.
package eventlog

import "sync"

// Event is one message of a topic.
type Event struct {
	Offset  uint64
	Key     string
	Payload []byte
}

// Topic is an ordered log of events. It is safe for concurrent use.
type Topic struct {
	name   string
	retain int

	mu      sync.RWMutex
	history []Event
	next    uint64
	subs    map[*Subscription]struct{}
}

// Broker holds topics by name. It is safe for concurrent use.
type Broker struct {
	retain int

	mu     sync.Mutex
	topics map[string]*Topic
}

// NewBroker returns a broker whose topics keep the last retain events.
func NewBroker(retain int) *Broker {
	return &Broker{retain: retain, topics: make(map[string]*Topic)}
}

// Topic returns a topic and creates it when it does not exist.
func (b *Broker) Topic(name string) *Topic {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, ok := b.topics[name]
	if !ok {
		t = &Topic{name: name, retain: b.retain, subs: make(map[*Subscription]struct{})}
		b.topics[name] = t
	}
	return t
}

// Name returns the name of the topic.
func (t *Topic) Name() string { return t.name }

// Publish appends an event, hands it to the subscribers and returns its offset.
func (t *Topic) Publish(key string, payload []byte) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	ev := Event{Offset: t.next, Key: key, Payload: payload}
	t.next++
	t.history = append(t.history, ev)
	if over := len(t.history) - t.retain; over > 0 {
		t.history = append([]Event(nil), t.history[over:]...)
	}
	for s := range t.subs {
		s.push(ev)
	}
	return ev.Offset
}

// Next returns the offset that the next event will get.
func (t *Topic) Next() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.next
}

// since returns a copy of the retained events from an offset on.
func (t *Topic) since(from uint64) []Event {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []Event
	for _, ev := range t.history {
		if ev.Offset >= from {
			out = append(out, ev)
		}
	}
	return out
}

// attach adds a subscription.
func (t *Topic) attach(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs[s] = struct{}{}
}

// detach removes a subscription.
func (t *Topic) detach(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.subs, s)
}

// Subscribe returns a subscription that delivers the retained events from an
// offset on and then every event that is published.
func (t *Topic) Subscribe(from uint64) *Subscription {
	s := newSubscription(t, t.since(from))
	t.attach(s)
	return s
}

// Subscription is a consumer of a topic. Next may be called from several
// goroutines, each event goes to one of them.
type Subscription struct {
	topic *Topic

	mu     sync.Mutex
	ready  *sync.Cond
	queue  []Event
	closed bool
}

func newSubscription(t *Topic, backlog []Event) *Subscription {
	s := &Subscription{topic: t, queue: backlog}
	s.ready = sync.NewCond(&s.mu)
	return s
}

// push queues an event for delivery.
func (s *Subscription) push(ev Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.queue = append(s.queue, ev)
	s.ready.Signal()
}

// Next blocks until there is an event. It returns false once the subscription
// is closed and the queue is empty.
func (s *Subscription) Next() (Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 {
		if s.closed {
			return Event{}, false
		}
		s.ready.Wait()
	}
	ev := s.queue[0]
	s.queue = s.queue[1:]
	return ev, true
}

// Pending returns how many events wait for delivery.
func (s *Subscription) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.topic.detach(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.ready.Broadcast()
}
