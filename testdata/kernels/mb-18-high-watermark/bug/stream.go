// Package stream is a compacted in-memory stream with tailing consumers.
package stream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Record is one message.
type Record struct {
	Offset int64
	Key    string
	Value  []byte
	At     time.Time
}

// Stream keeps the newest record of each key.
type Stream struct {
	end atomic.Int64 // offset of the next record

	mu      sync.RWMutex
	records map[int64]Record
	latest  map[string]int64
}

// New returns an empty stream.
func New() *Stream {
	return &Stream{records: make(map[int64]Record), latest: make(map[string]int64)}
}

// End returns the offset that the next record will get.
func (s *Stream) End() int64 { return s.end.Load() }

// put stores a record.
func (s *Stream) put(r Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[r.Offset] = r
	if r.Offset >= s.latest[r.Key] {
		s.latest[r.Key] = r.Offset
	}
}

// Append adds a record and returns its offset.
func (s *Stream) Append(key string, value []byte) int64 {
	r := Record{Key: key, Value: value, At: time.Now()}
	r.Offset = s.end.Add(1) - 1
	s.put(r)
	return r.Offset
}

func (s *Stream) get(off int64) (Record, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.records[off]
	return r, ok
}

// Poll returns up to limit records from an offset on, and the offset to go on from.
// Offsets that compaction removed are left out.
func (s *Stream) Poll(from int64, limit int) ([]Record, int64) {
	var out []Record
	end := s.end.Load()
	for from < end && len(out) < limit {
		if r, ok := s.get(from); ok {
			out = append(out, r)
		}
		from++
	}
	return out, from
}

// Compact removes the records that a newer one with the same key replaced.
func (s *Stream) Compact() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for off, r := range s.records {
		if s.latest[r.Key] != off {
			delete(s.records, off)
			n++
		}
	}
	return n
}

// RunCompaction compacts every interval until ctx ends.
func (s *Stream) RunCompaction(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.Compact()
		}
	}
}

// Consumer follows a stream.
type Consumer struct {
	stream *Stream
	next   int64
	idle   time.Duration
}

// Follow returns a consumer that starts at an offset.
func (s *Stream) Follow(from int64, idle time.Duration) *Consumer {
	return &Consumer{stream: s, next: from, idle: idle}
}

// Run hands each record to fn until ctx ends or fn fails.
func (c *Consumer) Run(ctx context.Context, fn func(Record) error) error {
	for {
		batch, next := c.stream.Poll(c.next, 128)
		for _, r := range batch {
			if err := fn(r); err != nil {
				return err
			}
			c.next = r.Offset + 1
		}
		c.next = next
		if len(batch) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.idle):
		}
	}
}
