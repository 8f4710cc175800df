// Package replica is the leader side of asynchronous replication for a small
// key-value store: followers load a dump and then follow the operation log.
package replica

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

var (
	// ErrTruncated means that the log no longer reaches back to an offset; the
	// follower needs a full resync.
	ErrTruncated = errors.New("replica: offset no longer in log")
	// ErrClosed is returned to streams when the leader shuts down.
	ErrClosed = errors.New("replica: closed")
)

// Op is a logged operation: it adds Delta to the value of Key.
type Op struct {
	Key   string
	Delta int64
}

// Store is the leader's data.
type Store struct {
	mu   sync.RWMutex
	data map[string]int64
}

// Get returns the value of a key.
func (s *Store) Get(key string) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.data[key]
}

func (s *Store) apply(op Op) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[op.Key] += op.Delta
	return s.data[op.Key]
}

// Dump returns a copy of all data.
func (s *Store) Dump() map[string]int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Clone(s.data)
}

// Log keeps the most recent operations in memory.
type Log struct {
	max int

	mu     sync.Mutex
	grown  sync.Cond
	base   int64 // offset of ops[0]
	ops    []Op
	closed bool
}

func newLog(max int) *Log {
	l := &Log{max: max}
	l.grown.L = &l.mu
	return l
}

func (l *Log) append(op Op) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ops = append(l.ops, op)
	if drop := len(l.ops) - l.max; drop > 0 {
		l.ops = append([]Op(nil), l.ops[drop:]...)
		l.base += int64(drop)
	}
	l.grown.Broadcast()
}

// Tail returns the offset that the next operation will get.
func (l *Log) Tail() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.base + int64(len(l.ops))
}

// Wait returns the operations from offset off on, waiting for at least one.
func (l *Log) Wait(off int64) ([]Op, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed && off == l.base+int64(len(l.ops)) {
		l.grown.Wait()
	}
	switch {
	case l.closed:
		return nil, ErrClosed
	case off < l.base, off > l.base+int64(len(l.ops)):
		return nil, ErrTruncated
	}
	return append([]Op(nil), l.ops[off-l.base:]...), nil
}

func (l *Log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.grown.Broadcast()
}

// Follower is the connection to one follower.
type Follower interface {
	// Load replaces the follower's data; operations follow from offset next on.
	Load(dump map[string]int64, next int64) error
	// Apply applies operations, the first of which has offset off.
	Apply(off int64, ops []Op) error
}

// Leader accepts writes and feeds followers. Client handlers call Add and Get
// while each follower connection sits in Resync or Resume.
type Leader struct {
	writeMu sync.Mutex // orders writes: the log has them as the store does
	store   *Store
	log     *Log
}

// NewLeader returns a leader that keeps the last logSize operations.
func NewLeader(logSize int) *Leader {
	return &Leader{store: &Store{data: make(map[string]int64)}, log: newLog(logSize)}
}

// Add adds delta to the value of key and returns the sum.
func (l *Leader) Add(key string, delta int64) int64 {
	op := Op{Key: key, Delta: delta}
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	sum := l.store.apply(op)
	l.log.append(op)
	return sum
}

// Get returns the value of key.
func (l *Leader) Get(key string) int64 { return l.store.Get(key) }

// Resync brings a follower up from scratch and then streams to it until the
// connection fails or the leader closes.
func (l *Leader) Resync(f Follower) error {
	l.writeMu.Lock()
	dump := l.store.Dump()
	next := l.log.Tail()
	l.writeMu.Unlock()
	if err := f.Load(dump, next); err != nil {
		return fmt.Errorf("replica: full resync: %w", err)
	}
	return l.Resume(f, next)
}

// Resume streams to a follower that has everything up to offset off.
func (l *Leader) Resume(f Follower, off int64) error {
	for {
		ops, err := l.log.Wait(off)
		if err != nil {
			return err
		}
		if err := f.Apply(off, ops); err != nil {
			return fmt.Errorf("replica: stream at %d: %w", off, err)
		}
		off += int64(len(ops))
	}
}

// Close ends all streams.
func (l *Leader) Close() { l.log.close() }
