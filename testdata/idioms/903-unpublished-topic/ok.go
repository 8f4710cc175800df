// Package topics is the catalogue of an embedded message broker. A topic is
// made with its partitions and subscriptions and then entered under its name.
package topics

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var (
	// ErrExists is returned for a topic name that is taken.
	ErrExists = errors.New("topics: topic exists")
	// ErrUnknown is returned for a topic that does not exist.
	ErrUnknown = errors.New("topics: no such topic")
)

// Spec describes a topic that is to be made.
type Spec struct {
	Name       string
	Partitions []int
	Consumers  []string
	Retention  time.Duration
}

// partition is one queue of messages with the position of each consumer.
type partition struct {
	id       int
	messages [][]byte
	read     map[string]int
}

// Topic is a set of partitions. It is safe for concurrent use.
type Topic struct {
	name string

	mu         sync.Mutex
	partitions []*partition
	consumers  []string
	retention  time.Duration
}

// Catalogue holds the topics. It is safe for concurrent use.
type Catalogue struct {
	mu     sync.RWMutex
	topics map[string]*Topic
}

// NewCatalogue returns an empty catalogue.
func NewCatalogue() *Catalogue {
	return &Catalogue{topics: make(map[string]*Topic)}
}

// Create makes a topic as the spec says. Numbers and names that are listed
// twice count once.
func (c *Catalogue) Create(spec Spec) (*Topic, error) {
	t := &Topic{name: spec.Name}
	t.setRetention(spec.Retention)
	for _, name := range spec.Consumers {
		if !t.hasConsumer(name) {
			t.addConsumer(name)
		}
	}
	for _, id := range spec.Partitions {
		if !t.hasPartition(id) {
			t.addPartition(id, t.consumerNames())
		}
	}
	if t.partitionCount() == 0 {
		t.addPartition(0, t.consumerNames())
	}
	if err := c.enter(t); err != nil {
		return nil, err
	}
	return t, nil
}

// enter makes the topic known, unless its name is taken.
func (c *Catalogue) enter(t *Topic) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.topics[t.name]; ok {
		return fmt.Errorf("%w: %s", ErrExists, t.name)
	}
	c.topics[t.name] = t
	return nil
}

// Get returns the topic of that name.
func (c *Catalogue) Get(name string) (*Topic, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t, ok := c.topics[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return t, nil
}

func (t *Topic) setRetention(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retention = d
}

func (t *Topic) hasConsumer(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.consumers, name)
}

func (t *Topic) addConsumer(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.consumers = append(t.consumers, name)
}

func (t *Topic) consumerNames() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.consumers)
}

func (t *Topic) hasPartition(id int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.findLocked(id) != nil
}

func (t *Topic) addPartition(id int, consumers []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &partition{id: id, read: make(map[string]int)}
	for _, name := range consumers {
		p.read[name] = 0
	}
	t.partitions = append(t.partitions, p)
}

func (t *Topic) partitionCount() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.partitions)
}

func (t *Topic) findLocked(id int) *partition {
	for _, p := range t.partitions {
		if p.id == id {
			return p
		}
	}
	return nil
}

// Retention returns how long messages are kept.
func (t *Topic) Retention() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.retention
}

// Publish appends a message to a partition.
func (t *Topic) Publish(id int, msg []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.findLocked(id)
	if p == nil {
		return fmt.Errorf("topics: %s has no partition %d", t.name, id)
	}
	p.messages = append(p.messages, msg)
	return nil
}

// Next returns the next message of the partition for a consumer.
func (t *Topic) Next(id int, consumer string) ([]byte, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.findLocked(id)
	if p == nil {
		return nil, false
	}
	pos, ok := p.read[consumer]
	if !ok || pos == len(p.messages) {
		return nil, false
	}
	p.read[consumer] = pos + 1
	return p.messages[pos], true
}
