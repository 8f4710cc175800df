// Package seglog is the ingest journal of the audit service. Records are
// gathered in memory segments; a full or aged segment is handed to an object
// store, which is the durable copy the auditors read.
package seglog

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"
)

// ErrTooLarge is returned for a record that can not fit into any segment.
var ErrTooLarge = errors.New("seglog: record exceeds segment size")

// Sink stores finished segments. Put is retried until it succeeds.
type Sink interface {
	Put(id uint64, data []byte) error
}

// Position names a record: the segment it is in and its index there.
type Position struct {
	Segment uint64
	Index   int
}

// segment is a run of length-prefixed records.
type segment struct {
	id uint64

	mu      sync.Mutex
	buf     []byte
	records int
	sealed  bool
}

func newSegment(id uint64, size int) *segment {
	return &segment{id: id, buf: make([]byte, 0, size)}
}

// append adds one record and returns its index and the bytes now held. It
// refuses, with ok false, once the segment is sealed.
func (s *segment) append(rec []byte) (index, size int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return 0, 0, false
	}
	s.buf = binary.AppendUvarint(s.buf, uint64(len(rec)))
	s.buf = append(s.buf, rec...)
	index = s.records
	s.records++
	return index, len(s.buf), true
}

// seal ends the segment: no record is added afterwards.
func (s *segment) seal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = true
}

// size returns the number of bytes held.
func (s *segment) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.buf)
}

// bytes returns a copy of the segment as it goes to the sink.
func (s *segment) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.buf...)
}

// Log is the journal. Append and Rotate may be called by any number of
// goroutines.
type Log struct {
	sink     Sink
	maxBytes int
	uploads  chan *segment
	stop     chan struct{}
	ticker   sync.WaitGroup
	uploader sync.WaitGroup

	mu      sync.RWMutex
	active  *segment
	nextID  uint64
	pending map[uint64]*segment
}

// Open starts a journal which rolls at maxBytes or after maxAge.
func Open(sink Sink, maxBytes int, maxAge time.Duration) *Log {
	l := &Log{
		sink:     sink,
		maxBytes: maxBytes,
		uploads:  make(chan *segment, 16),
		stop:     make(chan struct{}),
		active:   newSegment(1, maxBytes),
		nextID:   2,
		pending:  make(map[uint64]*segment),
	}
	l.uploader.Add(1)
	go l.uploadLoop()
	l.ticker.Add(1)
	go l.ageLoop(maxAge)
	return l
}

// Append adds rec to the journal and tells where it landed.
func (l *Log) Append(rec []byte) (Position, error) {
	if len(rec)+binary.MaxVarintLen64 > l.maxBytes {
		return Position{}, ErrTooLarge
	}
	for {
		seg := l.activeSegment()
		index, size, ok := seg.append(rec)
		if !ok {
			continue // rolled meanwhile, its successor is active by now
		}
		if size >= l.maxBytes {
			l.roll(seg)
		}
		return Position{Segment: seg.id, Index: index}, nil
	}
}

// Rotate hands the active segment over, unless it is empty.
func (l *Log) Rotate() {
	seg := l.activeSegment()
	if seg.size() == 0 {
		return
	}
	l.roll(seg)
}

// Pending returns the number of segments which wait for the sink.
func (l *Log) Pending() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.pending)
}

// Close hands over what is left and waits for the sink. The callers of
// Append and Rotate have to be gone before.
func (l *Log) Close() {
	close(l.stop)
	l.ticker.Wait()
	l.Rotate()
	close(l.uploads)
	l.uploader.Wait()
}

func (l *Log) activeSegment() *segment {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.active
}

// roll replaces seg by a fresh segment and queues it for the sink. Only the
// first of several callers with the same segment has an effect.
func (l *Log) roll(seg *segment) {
	l.mu.Lock()
	if l.active != seg {
		l.mu.Unlock()
		return
	}
	seg.seal()
	l.active = newSegment(l.nextID, l.maxBytes)
	l.nextID++
	l.pending[seg.id] = seg
	l.mu.Unlock()
	l.uploads <- seg
}

func (l *Log) ageLoop(maxAge time.Duration) {
	defer l.ticker.Done()
	t := time.NewTicker(maxAge)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.Rotate()
		case <-l.stop:
			return
		}
	}
}

func (l *Log) uploadLoop() {
	defer l.uploader.Done()
	for seg := range l.uploads {
		data := seg.bytes()
		for l.sink.Put(seg.id, data) != nil {
			time.Sleep(time.Second)
		}
		l.mu.Lock()
		delete(l.pending, seg.id)
		l.mu.Unlock()
	}
}
