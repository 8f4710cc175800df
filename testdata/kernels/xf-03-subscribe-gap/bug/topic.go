package broker

import "sync"

// Message is one record of a topic.
type Message struct {
	Offset  int64
	Payload []byte
}

// topic is an append-only log with live subscribers.
type topic struct {
	name   string
	retain int

	mu   sync.Mutex
	base int64     // offset of log[0]
	log  []Message // the retained messages
	subs map[*Subscription]struct{}
}

func newTopic(name string, retain int) *topic {
	return &topic{name: name, retain: retain, subs: make(map[*Subscription]struct{})}
}

// publish appends payload and passes it to the live subscribers.
func (t *topic) publish(payload []byte) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := Message{Offset: t.base + int64(len(t.log)), Payload: payload}
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

// since returns the retained messages with an offset of at least from.
func (t *topic) since(from int64) []Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sinceLocked(from)
}

func (t *topic) sinceLocked(from int64) []Message {
	i := max(from-t.base, 0)
	if i >= int64(len(t.log)) {
		return nil
	}
	return append([]Message(nil), t.log[i:]...)
}

// attach makes s receive the messages that are published from now on.
func (t *topic) attach(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs[s] = struct{}{}
}

func (t *topic) detach(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.subs, s)
}

// Subscription is a consumer's view of a topic. Messages arrive in the order
// of their offsets.
type Subscription struct {
	topic *topic

	mu     sync.Mutex
	ready  *sync.Cond
	queue  []Message
	closed bool
}

func newSubscription(t *topic) *Subscription {
	s := &Subscription{topic: t}
	s.ready = sync.NewCond(&s.mu)
	return s
}

func (s *Subscription) push(msgs ...Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.queue = append(s.queue, msgs...)
	s.ready.Broadcast()
}

// Next waits for the next message. It returns false after Close.
func (s *Subscription) Next() (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.closed {
		s.ready.Wait()
	}
	if s.closed {
		return Message{}, false
	}
	m := s.queue[0]
	s.queue = s.queue[1:]
	return m, true
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.topic.detach(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.queue = nil
	s.ready.Broadcast()
}
