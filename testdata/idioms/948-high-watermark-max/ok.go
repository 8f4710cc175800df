// Package replica replicates one partition of a log to a fixed set of
// followers. Consumers see what all followers have.
package replica

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Errors returned by a Partition.
var (
	ErrUnknownReplica = errors.New("replica: unknown replica")
	ErrOutOfRange     = errors.New("replica: offset out of range")
)

// Entry is a record of the log.
type Entry struct {
	Offset int64
	Data   []byte
}

// entryLog is the append-only log of the leader.
type entryLog struct {
	mu      sync.RWMutex
	entries []Entry
}

func (l *entryLog) append(data []byte) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	off := int64(len(l.entries))
	l.entries = append(l.entries, Entry{Offset: off, Data: data})
	return off
}

func (l *entryLog) end() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return int64(len(l.entries))
}

// slice returns the entries in [from, to), at most limit of them.
func (l *entryLog) slice(from, to int64, limit int) []Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	to = min(to, from+int64(limit), int64(len(l.entries)))
	if from >= to {
		return nil
	}
	return append([]Entry(nil), l.entries[from:to]...)
}

// followers knows up to where each follower has the log.
type followers struct {
	mu  sync.Mutex
	end map[string]int64
}

// record notes that a follower has everything below end, and returns the
// offset below which all have everything.
func (f *followers) record(name string, end int64) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was, ok := f.end[name]
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrUnknownReplica, name)
	}
	if end > was {
		f.end[name] = end
	}
	low := f.end[name]
	for _, e := range f.end {
		low = min(low, e)
	}
	return low, nil
}

// Partition is the leader's side of a partition. It is safe for concurrent
// use: producers append, followers and consumers fetch.
type Partition struct {
	log       entryLog
	followers followers
	watermark atomic.Int64
}

// NewPartition returns an empty partition with the given followers, of which
// there must be at least one. The set does not change.
func NewPartition(names []string) *Partition {
	p := &Partition{}
	p.followers.end = make(map[string]int64, len(names))
	for _, n := range names {
		p.followers.end[n] = 0
	}
	return p
}

// Append adds a record. It becomes visible when all followers have it.
func (p *Partition) Append(data []byte) int64 { return p.log.append(data) }

// FollowerFetch returns records to a follower, who has everything below from.
func (p *Partition) FollowerFetch(name string, from int64, limit int) ([]Entry, error) {
	end := p.log.end()
	if from < 0 || from > end {
		return nil, ErrOutOfRange
	}
	low, err := p.followers.record(name, from)
	if err != nil {
		return nil, err
	}
	p.raise(low)
	return p.log.slice(from, end, limit), nil
}

// raise moves the watermark up to w.
func (p *Partition) raise(w int64) {
	for {
		cur := p.watermark.Load()
		if w <= cur || p.watermark.CompareAndSwap(cur, w) {
			return
		}
	}
}

// Fetch returns visible records to a consumer.
func (p *Partition) Fetch(from int64, limit int) ([]Entry, error) {
	visible := p.watermark.Load()
	if from < 0 || from > visible {
		return nil, ErrOutOfRange
	}
	return p.log.slice(from, visible, limit), nil
}

// Lag returns the number of records that are not visible yet.
func (p *Partition) Lag() int64 {
	visible := p.watermark.Load()
	return p.log.end() - visible
}
