// Package a follows how far the consumers of a change feed have come, so that
// the feed can drop what all of them have seen.
package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrConsumer = errors.New("unknown consumer")
	ErrTrimmed  = errors.New("position was trimmed")
)

// mark is a position that only moves forward.
type mark struct {
	v atomic.Int64
}

// raise moves the mark to pos if that is further than where it is.
func (m *mark) raise(pos int64) bool {
	for {
		cur := m.v.Load()
		if pos <= cur {
			return false
		}
		if m.v.CompareAndSwap(cur, pos) {
			return true
		}
	}
}

func (m *mark) load() int64 { return m.v.Load() }

// Progress has a mark for each consumer. The consumers are those of the
// configuration and do not change.
type Progress struct {
	marks map[string]*mark
}

// NewProgress returns the marks of the given consumers, all at zero.
func NewProgress(consumers ...string) *Progress {
	p := &Progress{marks: make(map[string]*mark, len(consumers))}
	for _, c := range consumers {
		p.marks[c] = &mark{}
	}
	return p
}

// Ack records that a consumer has handled all before pos. Acks of several
// workers of one consumer come in any order.
func (p *Progress) Ack(consumer string, pos int64) error {
	m, ok := p.marks[consumer]
	if !ok {
		return ErrConsumer
	}
	m.raise(pos)
	return nil
}

// Low returns a position that all the consumers have reached. The marks are
// read one after the other; any of them may be further by now.
func (p *Progress) Low() int64 {
	low := int64(-1)
	for _, m := range p.marks {
		if v := m.load(); low < 0 || v < low {
			low = v
		}
	}
	return max(low, 0)
}

// Feed holds the changes from the position base on.
type Feed struct {
	progress *Progress

	mu      sync.RWMutex
	base    int64
	changes []string
}

// NewFeed returns an empty feed.
func NewFeed(p *Progress) *Feed {
	return &Feed{progress: p}
}

// Append adds a change and returns its position.
func (f *Feed) Append(change string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = append(f.changes, change)
	return f.base + int64(len(f.changes)) - 1
}

// Read returns up to limit changes from pos on.
func (f *Feed) Read(pos int64, limit int) ([]string, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if pos < f.base {
		return nil, ErrTrimmed
	}
	i := min(pos-f.base, int64(len(f.changes)))
	j := min(i+int64(limit), int64(len(f.changes)))
	return append([]string(nil), f.changes[i:j]...), nil
}

// Trim drops what everybody has seen and returns the number of changes.
func (f *Feed) Trim() int {
	low := f.progress.Low()

	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(low-f.base, int64(len(f.changes)))
	if n <= 0 {
		return 0
	}
	f.changes = append([]string(nil), f.changes[n:]...)
	f.base += n
	return int(n)
}

// Len returns the number of changes that are held.
func (f *Feed) Len() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.changes)
}
