// Package eventlog is an append-only log of a metering service, cut into
// segments that are uploaded when they are full.
package eventlog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

var (
	errSealed = errors.New("eventlog: segment is sealed")

	// ErrActive is returned for a segment that is still being written.
	ErrActive = errors.New("eventlog: segment is active")
)

// Segment is a part of the log. Once it is sealed it stays so, and nothing is
// added to it.
type Segment struct {
	Number int
	sealed atomic.Bool

	mu      sync.Mutex
	records [][]byte
	size    int

	sum     sync.Once
	sumText string
}

// append adds a record and returns the size of the segment.
func (s *Segment) append(rec []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed.Load() {
		return 0, errSealed
	}
	s.records = append(s.records, slices.Clone(rec))
	s.size += len(rec)
	return s.size, nil
}

// seal ends the writing to the segment.
func (s *Segment) seal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed.Store(true)
}

// Sealed reports whether the segment is complete.
func (s *Segment) Sealed() bool { return s.sealed.Load() }

// Records returns the records that have been written so far.
func (s *Segment) Records() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// Checksum returns the SHA-256 of a complete segment.
func (s *Segment) Checksum() (string, error) {
	if !s.Sealed() {
		return "", ErrActive
	}
	s.sum.Do(func() {
		h := sha256.New()
		for _, rec := range s.Records() {
			h.Write(rec)
		}
		s.sumText = hex.EncodeToString(h.Sum(nil))
	})
	return s.sumText, nil
}

// Log is safe for concurrent use.
type Log struct {
	limit int

	mu     sync.RWMutex
	active *Segment
	full   []*Segment
}

// New returns an empty log with segments of about limit bytes.
func New(limit int) *Log {
	return &Log{limit: limit, active: &Segment{Number: 1}}
}

// Append adds a record to the log.
func (l *Log) Append(rec []byte) {
	for {
		seg := l.current()
		size, err := seg.append(rec)
		if err != nil {
			continue // the log has moved on to the next segment
		}
		if size >= l.limit {
			l.roll(seg)
		}
		return
	}
}

func (l *Log) current() *Segment {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.active
}

// roll replaces seg as the active segment, if it is the active one.
func (l *Log) roll(seg *Segment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.active != seg {
		return
	}
	seg.seal()
	l.full = append(l.full, seg)
	l.active = &Segment{Number: seg.Number + 1}
}

// Flush completes the active segment whatever its size.
func (l *Log) Flush() { l.roll(l.current()) }

// Manifest maps the numbers of the complete segments to their checksums.
func (l *Log) Manifest() map[int]string {
	l.mu.RLock()
	full := slices.Clone(l.full)
	l.mu.RUnlock()

	out := make(map[int]string, len(full))
	for _, seg := range full {
		if sum, err := seg.Checksum(); err == nil {
			out[seg.Number] = sum
		}
	}
	return out
}
