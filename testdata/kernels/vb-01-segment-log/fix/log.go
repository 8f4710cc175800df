package seglog

import (
	"errors"
	"sync"
)

var ErrCompacted = errors.New("seglog: offset compacted")

type Record struct {
	Key  string
	Data []byte
}

type Log struct {
	mu    sync.Mutex
	first uint64
	recs  []Record
}

func New() *Log { return &Log{first: 1} }

func (l *Log) First() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}

func (l *Log) Records() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.recs
}

func (l *Log) Append(r Record) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recs = append(l.recs, r)
	return l.first + uint64(len(l.recs)) - 1
}

// Compact forgets every record below upTo.
func (l *Log) Compact(upTo uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if upTo <= l.first {
		return
	}
	n := min(upTo-l.first, uint64(len(l.recs)))
	kept := make([]Record, uint64(len(l.recs))-n)
	copy(kept, l.recs[n:])
	l.recs = kept
	l.first += n
}

// Read returns the record stored at off; ok is false past the tail.
func (l *Log) Read(off uint64) (rec Record, ok bool, err error) {
	l.mu.Lock()
	base, recs := l.first, l.recs
	l.mu.Unlock()
	if off < base {
		return rec, false, ErrCompacted
	}

	i := off - base
	if i >= uint64(len(recs)) {
		return rec, false, nil
	}
	return recs[i], true, nil
}

// Follow hands every record from off on to fn until the tail is reached.
func (l *Log) Follow(off uint64, fn func(uint64, Record)) (uint64, error) {
	for {
		rec, ok, err := l.Read(off)
		if err != nil || !ok {
			return off, err
		}
		fn(off, rec)
		off++
	}
}
