// Package broker is a small in-process message broker.
package broker

import (
	"net/http"
	"sync"
)

// Message is an opaque payload.
type Message []byte

// Topic fans messages out to its subscribers.
type Topic struct {
	name  string
	queue chan Message

	mu   sync.Mutex
	subs map[*Subscription]struct{}
}

// Subscription receives the messages of one topic on C.
type Subscription struct {
	C     chan Message
	topic *Topic
}

func newTopic(name string) *Topic {
	return &Topic{
		name:  name,
		queue: make(chan Message, 256),
		subs:  make(map[*Subscription]struct{}),
	}
}

// run delivers for the lifetime of the process.
func (t *Topic) run() {
	for m := range t.queue {
		t.deliver(m)
	}
}

func (t *Topic) deliver(m Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s := range t.subs {
		select {
		case s.C <- m:
		default: // slow subscriber
		}
	}
}

func (t *Topic) attach(buffer int) *Subscription {
	s := &Subscription{C: make(chan Message, buffer), topic: t}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subs[s] = struct{}{}
	return s
}

// Cancel ends the subscription.
func (s *Subscription) Cancel() {
	s.topic.mu.Lock()
	defer s.topic.mu.Unlock()
	delete(s.topic.subs, s)
}

// Broker owns the topics; they are created on first use and never removed.
type Broker struct {
	topics sync.Map // string -> *Topic
}

// topic returns the topic called name.
func (b *Broker) topic(name string) *Topic {
	if t, ok := b.topics.Load(name); ok {
		return t.(*Topic)
	}
	fresh := newTopic(name)
	t, loaded := b.topics.LoadOrStore(name, fresh)
	if !loaded {
		go fresh.run()
	}
	return t.(*Topic)
}

// Publish queues m for all subscribers of the topic.
func (b *Broker) Publish(name string, m Message) {
	b.topic(name).queue <- m
}

// Subscribe registers a new subscriber.
func (b *Broker) Subscribe(name string, buffer int) *Subscription {
	return b.topic(name).attach(buffer)
}

// Stream handles GET /topics/{name}.
func (b *Broker) Stream(w http.ResponseWriter, r *http.Request) {
	sub := b.Subscribe(r.PathValue("name"), 64)
	defer sub.Cancel()
	rc := http.NewResponseController(w)
	for {
		select {
		case <-r.Context().Done():
			return
		case m := <-sub.C:
			if _, err := w.Write(m); err != nil {
				return
			}
			_ = rc.Flush()
		}
	}
}
