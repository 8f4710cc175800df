// Package shrink compresses payloads with a fixed number of reusable encoders.
package shrink

import (
	"bytes"
	"compress/gzip"
	"context"
	"sync"
)

// SlotStats describes one encoder.
type SlotStats struct {
	Jobs   int // since the encoder was last replaced
	In     int64
	Out    int64
	Swaps  int // times it was replaced
	Active bool
}

// slot is one encoder. A goroutine that has received the slot from the free
// list has it to itself; mu only lets Stats look at it meanwhile.
type slot struct {
	zw  *gzip.Writer
	buf bytes.Buffer

	mu    sync.Mutex
	stats SlotStats
}

func (s *slot) jobs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats.Jobs
}

func (s *slot) setActive(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Active = on
}

// replace gives the slot a new encoder.
func (s *slot) replace(level int) error {
	zw, err := gzip.NewWriterLevel(&s.buf, level)
	if err != nil {
		return err
	}
	s.zw = zw
	s.buf = bytes.Buffer{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Jobs = 0
	s.stats.Swaps++
	return nil
}

func (s *slot) account(in, out int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Jobs++
	s.stats.In += int64(in)
	s.stats.Out += int64(out)
}

func (s *slot) encode(p []byte) ([]byte, error) {
	s.buf.Reset()
	s.zw.Reset(&s.buf)
	if _, err := s.zw.Write(p); err != nil {
		return nil, err
	}
	if err := s.zw.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(s.buf.Bytes()), nil
}

// Pool is safe for concurrent use.
type Pool struct {
	level   int
	maxJobs int
	slots   []*slot
	free    chan *slot
}

// New returns a pool of n encoders, each replaced after maxJobs payloads so
// that one huge payload does not pin its memory for ever.
func New(n, level, maxJobs int) (*Pool, error) {
	p := &Pool{level: level, maxJobs: maxJobs, free: make(chan *slot, n)}
	for range n {
		s := &slot{}
		zw, err := gzip.NewWriterLevel(&s.buf, level)
		if err != nil {
			return nil, err
		}
		s.zw = zw
		p.slots = append(p.slots, s)
		p.free <- s
	}
	return p, nil
}

// Compress returns payload compressed, waiting for an encoder if all are busy.
func (p *Pool) Compress(ctx context.Context, payload []byte) ([]byte, error) {
	var s *slot
	select {
	case s = <-p.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.setActive(true)
	defer func() {
		s.setActive(false)
		p.free <- s
	}()

	if s.jobs() >= p.maxJobs {
		if err := s.replace(p.level); err != nil {
			return nil, err
		}
	}
	out, err := s.encode(payload)
	if err != nil {
		return nil, err
	}
	s.account(len(payload), len(out))
	return out, nil
}

// Stats describes the encoders.
func (p *Pool) Stats() []SlotStats {
	out := make([]SlotStats, len(p.slots))
	for i, s := range p.slots {
		s.mu.Lock()
		out[i] = s.stats
		s.mu.Unlock()
	}
	return out
}
