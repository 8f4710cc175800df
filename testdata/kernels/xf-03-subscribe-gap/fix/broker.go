// Package broker is an in-process message broker with retained topics.
package broker

import (
	"errors"
	"sync"
)

// ErrShutdown is returned after Shutdown.
var ErrShutdown = errors.New("broker: shut down")

// Earliest asks Subscribe for everything that is retained.
const Earliest int64 = 0

// Broker holds the topics. Producers and consumers use it concurrently.
type Broker struct {
	retain int

	mu     sync.RWMutex
	topics map[string]*topic
	down   bool
}

// New returns a broker that retains the given number of messages per topic.
func New(retain int) *Broker {
	return &Broker{retain: retain, topics: make(map[string]*topic)}
}

// topic returns the named topic. Topics are created on first use and live as
// long as the broker.
func (b *Broker) topic(name string) (*topic, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return nil, ErrShutdown
	}
	t, ok := b.topics[name]
	if !ok {
		t = newTopic(name, b.retain)
		b.topics[name] = t
	}
	return t, nil
}

// Publish appends payload to a topic and returns its offset.
func (b *Broker) Publish(name string, payload []byte) (int64, error) {
	t, err := b.topic(name)
	if err != nil {
		return 0, err
	}
	return t.publish(payload), nil
}

// Subscribe returns a subscription that yields every retained message from
// the given offset on, followed by the messages that are published later.
func (b *Broker) Subscribe(name string, from int64) (*Subscription, error) {
	t, err := b.topic(name)
	if err != nil {
		return nil, err
	}
	s := newSubscription(t)
	t.attach(s, from)
	return s, nil
}

// Topics returns the names of the topics.
func (b *Broker) Topics() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	names := make([]string, 0, len(b.topics))
	for n := range b.topics {
		names = append(names, n)
	}
	return names
}

// Shutdown refuses further calls. Subscriptions stay readable until they are
// closed by their consumers.
func (b *Broker) Shutdown() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = true
}
