// Correct: the log only grows, and an entry never changes once it is in. An
// index below a length read earlier stays valid for ever, so Len and At may be
// separate critical sections; what is added in between is seen in the next round.

// Package ok is an append-only log in memory, read by position.
package ok

import (
	"context"
	"sync"
	"time"
)

const chunkSize = 256

// Entry is one record; Data is not to be modified.
type Entry struct {
	Pos  int
	Time time.Time
	Data []byte
}

// Log keeps entries in chunks that are never moved.
type Log struct {
	mu     sync.RWMutex
	chunks []*[chunkSize]Entry
	n      int
}

// Append adds a record and returns its position.
func (l *Log) Append(data []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n%chunkSize == 0 {
		l.chunks = append(l.chunks, new([chunkSize]Entry))
	}
	pos := l.n
	l.chunks[pos/chunkSize][pos%chunkSize] = Entry{Pos: pos, Time: time.Now(), Data: data}
	l.n++
	return pos
}

// Len is the number of entries.
func (l *Log) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.n
}

// At returns the entry at pos, which has to be below Len.
func (l *Log) At(pos int) Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.chunks[pos/chunkSize][pos%chunkSize]
}

// Last returns the newest entry, if there is one.
func (l *Log) Last() (Entry, bool) {
	n := l.Len()
	if n == 0 {
		return Entry{}, false
	}
	return l.At(n - 1), true
}

// Search returns the position of the first entry not before t.
func (l *Log) Search(t time.Time) int {
	lo, hi := 0, l.Len()
	for lo < hi {
		mid := (lo + hi) / 2
		if l.At(mid).Time.Before(t) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Follow calls fn with the entries from pos on, including those still to come,
// until ctx ends or fn fails.
func (l *Log) Follow(ctx context.Context, pos int, poll time.Duration, fn func(Entry) error) error {
	t := time.NewTicker(poll)
	defer t.Stop()
	for {
		for n := l.Len(); pos < n; pos++ {
			if err := fn(l.At(pos)); err != nil {
				return err
			}
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
