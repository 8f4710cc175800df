// Package replog keeps the tail of a replication log in memory for a fixed set
// of replicas.
package replog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrTruncated is returned for entries that are gone.
	ErrTruncated = errors.New("replog: entries truncated")
	// ErrUnknownReplica is returned for a replica that is not in the set.
	ErrUnknownReplica = errors.New("replog: unknown replica")
)

// tail is the part of the log that is kept: entry i has offset first+i.
type tail struct {
	mu      sync.RWMutex
	first   int64
	entries [][]byte
}

func (t *tail) append(entry []byte) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, entry)
	return t.first + int64(len(t.entries)) - 1
}

// read returns up to max entries from offset on.
func (t *tail) read(offset int64, max int) ([][]byte, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if offset < t.first {
		return nil, ErrTruncated
	}
	i := offset - t.first
	if i >= int64(len(t.entries)) {
		return nil, nil
	}
	out := t.entries[i:]
	if len(out) > max {
		out = out[:max]
	}
	return append([][]byte(nil), out...), nil
}

// truncate drops the entries before offset.
func (t *tail) truncate(offset int64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(offset-t.first, int64(len(t.entries)))
	if n <= 0 {
		return 0
	}
	t.entries = append([][]byte(nil), t.entries[n:]...)
	t.first += n
	return int(n)
}

// replica is how far one replica got. Everything before acked is on its disk.
type replica struct {
	acked atomic.Int64
}

// Log is a log and its replicas. It is safe for concurrent use.
type Log struct {
	tail     tail
	replicas map[string]*replica // fixed when the log is made
}

// New returns an empty log for the given replicas.
func New(names ...string) *Log {
	l := &Log{replicas: make(map[string]*replica, len(names))}
	for _, name := range names {
		l.replicas[name] = new(replica)
	}
	return l
}

// Append adds an entry and returns its offset.
func (l *Log) Append(entry []byte) int64 { return l.tail.append(entry) }

// Read returns entries for a replica.
func (l *Log) Read(offset int64, max int) ([][]byte, error) {
	return l.tail.read(offset, max)
}

// Ack notes that a replica has the entries before offset on disk. Acks may
// come late and out of order.
func (l *Log) Ack(name string, offset int64) error {
	r, ok := l.replicas[name]
	if !ok {
		return ErrUnknownReplica
	}
	for {
		cur := r.acked.Load()
		if offset <= cur || r.acked.CompareAndSwap(cur, offset) {
			return nil
		}
	}
}

// acked returns an offset before which all replicas have everything.
func (l *Log) acked() int64 {
	low := int64(-1)
	for _, r := range l.replicas {
		if a := r.acked.Load(); low < 0 || a < low {
			low = a
		}
	}
	return max(low, 0)
}

// Trim drops the entries that no replica needs and returns their number.
func (l *Log) Trim() int {
	low := l.acked()
	if low == 0 {
		return 0
	}
	return l.tail.truncate(low)
}

// Run trims the log until ctx ends.
func (l *Log) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			l.Trim()
		}
	}
}
