package topic

import (
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
)

// Errors of the broker.
var (
	ErrUnknownTopic   = errors.New("topic: unknown topic")
	ErrFewerRequested = errors.New("topic: partitions can only be added")
)

type record struct {
	key, value []byte
}

// Partition is an ordered log.
type Partition struct {
	index int

	mu      sync.Mutex
	records []record
}

func (p *Partition) append(key, value []byte) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.records = append(p.records, record{key, value})
	return int64(len(p.records) - 1)
}

func (p *Partition) read(offset int64, limit int) [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out [][]byte
	for i := offset; i < int64(len(p.records)) && len(out) < limit; i++ {
		out = append(out, p.records[i].value)
	}
	return out
}

// Topic is a set of partitions.
type Topic struct {
	name string
	next atomic.Uint32

	mu         sync.RWMutex
	partitions []*Partition
}

func (t *Topic) count() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.partitions)
}

func (t *Topic) partition(i int) *Partition {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.partitions[i]
}

func (t *Topic) grow(n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < len(t.partitions) {
		return ErrFewerRequested
	}
	for len(t.partitions) < n {
		t.partitions = append(t.partitions, &Partition{index: len(t.partitions)})
	}
	return nil
}

func (t *Topic) choose(key []byte) *Partition {
	n := t.count()
	if len(key) == 0 {
		return t.partition(int(t.next.Add(1) % uint32(n)))
	}
	h := fnv.New32a()
	h.Write(key)
	return t.partition(int(h.Sum32() % uint32(n)))
}

// Broker holds the topics. Its methods are called by the client connections.
type Broker struct {
	mu     sync.RWMutex
	topics map[string]*Topic
}

// NewBroker returns a broker without topics.
func NewBroker() *Broker { return &Broker{topics: make(map[string]*Topic)} }

func (b *Broker) topic(name string) (*Topic, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	t, ok := b.topics[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownTopic, name)
	}
	return t, nil
}

// Create makes a topic with n partitions.
func (b *Broker) Create(name string, n int) error {
	if n < 1 {
		return errors.New("topic: need at least one partition")
	}
	t := &Topic{name: name}
	if err := t.grow(n); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.topics[name]; ok {
		return fmt.Errorf("topic: %s exists", name)
	}
	b.topics[name] = t
	return nil
}

// AddPartitions raises the number of partitions to n.
func (b *Broker) AddPartitions(name string, n int) error {
	t, err := b.topic(name)
	if err != nil {
		return err
	}
	return t.grow(n)
}

// Produce appends a record and returns its place.
func (b *Broker) Produce(name string, key, value []byte) (partition int, offset int64, err error) {
	t, err := b.topic(name)
	if err != nil {
		return 0, 0, err
	}
	p := t.choose(key)
	return p.index, p.append(key, value), nil
}

// Fetch reads from one partition.
func (b *Broker) Fetch(name string, partition int, offset int64, limit int) ([][]byte, error) {
	t, err := b.topic(name)
	if err != nil {
		return nil, err
	}
	if partition < 0 || partition >= t.count() || offset < 0 {
		return nil, fmt.Errorf("topic: %s has no partition %d", name, partition)
	}
	return t.partition(partition).read(offset, limit), nil
}
