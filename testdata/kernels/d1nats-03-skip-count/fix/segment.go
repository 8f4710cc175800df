// Package fix stores records in segments.
package fix

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

const (
	erasedBit    = uint64(1) << 63
	headerSize   = 16
	segmentLimit = 1 << 20
)

// ErrNoRecord is returned if a record was never there or is gone.
var ErrNoRecord = errors.New("no such record")

type span struct {
	seq uint64
	at  int64
}

type segment struct {
	num uint64

	mu      sync.Mutex
	first   span
	last    span
	records uint64
	bytes   uint64
	holes   map[uint64]struct{}
	sizes   map[uint64]uint64
	buf     []byte
	stamp   []byte
	kick    chan struct{}
}

func newSegment(num, first uint64) *segment {
	s := &segment{
		num:   num,
		first: span{seq: first},
		last:  span{seq: first - 1},
		holes: make(map[uint64]struct{}),
		sizes: make(map[uint64]uint64),
		kick:  make(chan struct{}, 1),
	}
	go s.stampLoop()
	return s
}

// stampLoop writes the summary a while after something has changed.
func (s *segment) stampLoop() {
	for range s.kick {
		s.mu.Lock()
		s.writeStamp()
		s.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *segment) poke() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// writeStamp encodes the summary a restart relies on. The lock is held.
func (s *segment) writeStamp() {
	b := make([]byte, 0, 64)
	for _, v := range []uint64{s.records, s.bytes, s.first.seq, s.last.seq} {
		b = binary.AppendUvarint(b, v)
	}
	s.stamp = b
}

// appendRecord writes a record to the end of the segment.
func (s *segment) appendRecord(seq uint64, data []byte, at int64) {
	size := uint64(headerSize + len(data))

	s.mu.Lock()
	s.buf = binary.BigEndian.AppendUint64(s.buf, seq)
	s.buf = binary.BigEndian.AppendUint64(s.buf, uint64(at))
	s.buf = append(s.buf, data...)
	if seq&erasedBit == 0 {
		s.records++
		s.bytes += size
	} else if s.records == 0 {
		s.first = span{seq&^erasedBit + 1, at}
	}
	seq &^= erasedBit
	s.last = span{seq, at}
	if s.first.at == 0 {
		s.first.at = at
	}
	s.sizes[seq] = size
	s.mu.Unlock()

	s.poke()
}

// skip uses a sequence number up without storing anything.
func (s *segment) skip(seq uint64, at int64) {
	var needsRecord bool

	s.mu.Lock()
	if s.records == 0 {
		s.last = span{seq, at}
		s.first = span{seq + 1, at}
	} else {
		needsRecord = true
		s.holes[seq] = struct{}{}
	}
	s.mu.Unlock()

	if needsRecord {
		s.appendRecord(seq|erasedBit, nil, at)
	} else {
		s.poke()
	}
}

func (s *segment) remove(seq uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, ok := s.sizes[seq]
	if !ok {
		return ErrNoRecord
	}
	if _, gone := s.holes[seq]; gone {
		return ErrNoRecord
	}
	s.holes[seq] = struct{}{}
	s.records--
	s.bytes -= size
	if s.records == 0 {
		s.first = span{s.last.seq + 1, 0}
	}
	s.writeStamp()
	return nil
}

// Log is a sequence of segments.
type Log struct {
	mu   sync.RWMutex
	last uint64
	segs []*segment
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{segs: []*segment{newSegment(1, 1)}}
}

func (l *Log) tail() *segment {
	t := l.segs[len(l.segs)-1]
	t.mu.Lock()
	full := t.bytes > segmentLimit
	t.mu.Unlock()
	if full {
		t = newSegment(t.num+1, l.last+1)
		l.segs = append(l.segs, t)
	}
	return t
}

// Store appends a record.
func (l *Log) Store(data []byte) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tail()
	l.last++
	t.appendRecord(l.last, data, time.Now().UnixNano())
	return l.last
}

// Skip uses a number up.
func (l *Log) Skip() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tail()
	l.last++
	t.skip(l.last, time.Now().UnixNano())
	return l.last
}

// Remove deletes a record.
func (l *Log) Remove(seq uint64) error {
	l.mu.RLock()
	var hit *segment
	for _, s := range l.segs {
		s.mu.Lock()
		if s.last.seq >= seq {
			hit = s
		}
		s.mu.Unlock()
		if hit != nil {
			break
		}
	}
	l.mu.RUnlock()
	if hit == nil {
		return ErrNoRecord
	}
	return hit.remove(seq)
}
