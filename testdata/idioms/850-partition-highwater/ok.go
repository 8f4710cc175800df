// Package partition is the log of one broker partition. Records become
// visible to consumers once they are replicated, that is, once they are below
// the high-water mark.
package partition

import (
	"context"
	"sync"
	"sync/atomic"
)

// Record is one entry of the log.
type Record struct {
	Key   []byte
	Value []byte
}

// Log is safe for concurrent use: the leader appends, the followers report
// how far they are, and consumers fetch. Records are never changed or
// removed.
type Log struct {
	replicas int

	high atomic.Int64 // offsets below are replicated; only grows

	mu      sync.RWMutex
	records []Record
	acked   map[string]int64 // follower -> offsets below are on its disk
	moved   chan struct{}    // closed when high grows
}

// New returns an empty log that is replicated to the given number of
// followers.
func New(replicas int) *Log {
	return &Log{
		replicas: replicas,
		acked:    make(map[string]int64),
		moved:    make(chan struct{}),
	}
}

// Append adds a record and returns its offset.
func (l *Log) Append(r Record) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return int64(len(l.records)) - 1
}

// Ack notes that follower has all records below next.
func (l *Log) Ack(follower string, next int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next = min(next, int64(len(l.records)))
	if next <= l.acked[follower] {
		return
	}
	l.acked[follower] = next
	if len(l.acked) < l.replicas {
		return
	}
	low := next
	for _, n := range l.acked {
		low = min(low, n)
	}
	if low > l.high.Load() {
		l.high.Store(low)
		close(l.moved)
		l.moved = make(chan struct{})
	}
}

// HighWater returns the offset below which records are visible.
func (l *Log) HighWater() int64 { return l.high.Load() }

// slice copies the records in [from, to).
func (l *Log) slice(from, to int64) []Record {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return append([]Record(nil), l.records[from:to]...)
}

// Fetch returns up to limit visible records from the offset on. The result
// is empty when there are none yet.
func (l *Log) Fetch(from int64, limit int) []Record {
	if from < 0 || limit <= 0 {
		return nil
	}
	high := l.HighWater()
	if from >= high {
		return nil
	}
	return l.slice(from, min(high, from+int64(limit)))
}

// growth returns a channel that is closed when the high-water mark grows the
// next time.
func (l *Log) growth() <-chan struct{} {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.moved
}

// Await is Fetch that waits for the first record.
func (l *Log) Await(ctx context.Context, from int64, limit int) ([]Record, error) {
	for {
		grown := l.growth()
		if l.HighWater() > from {
			return l.Fetch(from, limit), nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
