// Package replog is the replication log of the leader. Entries are kept until
// every follower has acknowledged them.
package replog

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Entry is one replicated change.
type Entry struct {
	Index uint64
	Data  []byte
}

// follower is one replica. acked only grows.
type follower struct {
	name  string
	acked atomic.Uint64
}

// Log is the log of a leader with a fixed set of followers. It is safe for
// concurrent use.
type Log struct {
	followers map[string]*follower // not changed after New

	mu      sync.RWMutex
	entries []Entry
	last    uint64
}

// New returns an empty log for the named followers.
func New(names ...string) *Log {
	l := &Log{followers: make(map[string]*follower, len(names))}
	for _, n := range names {
		l.followers[n] = &follower{name: n}
	}
	return l
}

// Append adds a change and returns its index.
func (l *Log) Append(data []byte) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.entries = append(l.entries, Entry{Index: l.last, Data: data})
	return l.last
}

// Pull returns up to limit entries that the follower has not acknowledged.
func (l *Log) Pull(name string, limit int) []Entry {
	f := l.followers[name]
	if f == nil {
		return nil
	}
	from := f.acked.Load()
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []Entry
	for _, e := range l.entries {
		if e.Index > from && len(out) < limit {
			out = append(out, e)
		}
	}
	return out
}

// Ack notes that the follower has stored everything up to index. An older
// acknowledgement that arrives late has no effect.
func (l *Log) Ack(name string, index uint64) {
	f := l.followers[name]
	if f == nil {
		return
	}
	for {
		cur := f.acked.Load()
		if index <= cur || f.acked.CompareAndSwap(cur, index) {
			return
		}
	}
}

// floor returns an index that all followers have acknowledged.
func (l *Log) floor() uint64 {
	l.mu.RLock()
	low := l.last
	l.mu.RUnlock()
	for _, f := range l.followers {
		low = min(low, f.acked.Load())
	}
	return low
}

// trim drops the entries up to and including index.
func (l *Log) trim(index uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for n < len(l.entries) && l.entries[n].Index <= index {
		n++
	}
	l.entries = append([]Entry(nil), l.entries[n:]...)
}

// RunTrimmer drops acknowledged entries at an interval until ctx ends.
func (l *Log) RunTrimmer(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if low := l.floor(); low > 0 {
				l.trim(low)
			}
		}
	}
}
