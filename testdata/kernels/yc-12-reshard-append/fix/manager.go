// Package shipper sends log records to a remote endpoint over a number of
// parallel shards that is adapted to the load.
package shipper

import (
	"errors"
	"hash/fnv"
	"sync"
	"sync/atomic"
)

var (
	// ErrClosed is returned by Append after Close.
	ErrClosed = errors.New("shipper: closed")
	// ErrFull is returned by Append when the shard of a record has no room.
	ErrFull = errors.New("shipper: shard is full")
)

// Record is one log record. Records of a stream are sent in order.
type Record struct {
	Stream string
	Body   []byte
}

// Client transports records to the endpoint and retries on its own.
type Client interface {
	Send(records []Record)
}

// Manager spreads records over shards. All methods are safe for concurrent
// use. A record for which Append returned nil is sent before Close returns.
type Manager struct {
	client   Client
	capacity int // records a shard may hold

	resharding sync.Mutex // held while a shard set is replaced

	mu     sync.RWMutex
	shards *shardSet
	closed bool

	accepted atomic.Uint64
	refused  atomic.Uint64
}

// NewManager returns a manager with n shards of the given capacity.
func NewManager(c Client, n, capacity int) *Manager {
	m := &Manager{client: c, capacity: capacity}
	m.shards = newShardSet(n, capacity)
	m.shards.start(c)
	return m
}

// Append hands a record to the shard of its stream.
func (m *Manager) Append(r Record) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return ErrClosed
	}
	if !m.shards.enqueue(r) {
		m.refused.Add(1)
		return ErrFull
	}
	m.accepted.Add(1)
	return nil
}

// Reshard changes the number of shards. The records of the old shards are
// sent before the new shards start to send, which keeps streams in order.
func (m *Manager) Reshard(n int) {
	m.resharding.Lock()
	defer m.resharding.Unlock()
	next := newShardSet(n, m.capacity)
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	old := m.shards
	m.shards = next
	m.mu.Unlock()
	old.drain()
	next.start(m.client)
}

// Shards returns the current number of shards.
func (m *Manager) Shards() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.shards.shards)
}

// Accepted and Refused count the calls of Append.
func (m *Manager) Accepted() uint64 { return m.accepted.Load() }
func (m *Manager) Refused() uint64  { return m.refused.Load() }

// Close refuses further records and sends those that were accepted.
func (m *Manager) Close() {
	m.resharding.Lock()
	defer m.resharding.Unlock()
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.closed = true
	shards := m.shards
	m.mu.Unlock()
	shards.drain()
}

// shardSet is a fixed number of shards that start and end together.
type shardSet struct {
	shards  []*shard
	workers sync.WaitGroup
}

func newShardSet(n, capacity int) *shardSet {
	s := &shardSet{shards: make([]*shard, max(n, 1))}
	for i := range s.shards {
		s.shards[i] = newShard(capacity)
	}
	return s
}

// start begins to send.
func (s *shardSet) start(c Client) {
	for _, sh := range s.shards {
		s.workers.Go(func() { sh.run(c) })
	}
}

// drain sends what the shards hold and ends their workers.
func (s *shardSet) drain() {
	for _, sh := range s.shards {
		sh.stop()
	}
	s.workers.Wait()
}

func (s *shardSet) enqueue(r Record) bool {
	h := fnv.New32a()
	h.Write([]byte(r.Stream))
	return s.shards[h.Sum32()%uint32(len(s.shards))].push(r)
}
