// Package shipper collects log lines in chunks and ships the full ones.
package shipper

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// ErrClosed is returned for lines that come after Close.
var ErrClosed = errors.New("shipper: closed")

// chunk takes lines until it is sealed, which happens once and for good.
type chunk struct {
	limit int

	mu     sync.Mutex
	buf    []byte
	lines  uint32
	sealed bool
}

// add appends a line, or seals the chunk and reports false if it is full.
func (c *chunk) add(line []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sealed {
		return false
	}
	if len(c.buf) > 0 && len(c.buf)+len(line)+1 > c.limit {
		c.sealed = true
		return false
	}
	c.buf = append(append(c.buf, line...), '\n')
	c.lines++
	return true
}

func (c *chunk) seal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed = true
}

func (c *chunk) isSealed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sealed
}

func (c *chunk) count() uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines
}

func (c *chunk) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf
}

// Sink receives encoded chunks.
type Sink interface {
	Send(ctx context.Context, frame []byte) error
}

// Shipper is safe for concurrent use.
type Shipper struct {
	sink   Sink
	limit  int
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	active *chunk // nil once closed
	queue  []*chunk
}

// New returns a shipper with chunks of about limit bytes.
func New(sink Sink, limit int, every time.Duration) *Shipper {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Shipper{sink: sink, limit: limit, cancel: cancel, done: make(chan struct{})}
	s.active = &chunk{limit: limit}
	go s.loop(ctx, every)
	return s
}

func (s *Shipper) loop(ctx context.Context, every time.Duration) {
	defer close(s.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.ship(ctx); err != nil {
				slog.Warn("shipper: will retry", "err", err)
			}
		}
	}
}

func (s *Shipper) current() *chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// rotate replaces a full chunk, unless that has already been done.
func (s *Shipper) rotate(full *chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == full {
		s.queue = append(s.queue, full)
		s.active = &chunk{limit: s.limit}
	}
}

// Write takes one line.
func (s *Shipper) Write(line []byte) error {
	for {
		c := s.current()
		if c == nil {
			return ErrClosed
		}
		if c.add(line) {
			return nil
		}
		s.rotate(c)
	}
}

// encode frames a chunk: the number of lines, then the lines.
func encode(c *chunk) ([]byte, bool) {
	if !c.isSealed() {
		return nil, false
	}
	frame := binary.BigEndian.AppendUint32(nil, c.count())
	return append(frame, c.bytes()...), true
}

// ship sends the queued chunks. It runs in the loop, and in Close after it.
func (s *Shipper) ship(ctx context.Context) error {
	s.mu.Lock()
	batch := s.queue
	s.queue = nil
	s.mu.Unlock()
	for i, c := range batch {
		frame, ok := encode(c)
		if !ok {
			continue
		}
		if err := s.sink.Send(ctx, frame); err != nil {
			s.mu.Lock()
			s.queue = slices.Concat(batch[i:], s.queue)
			s.mu.Unlock()
			return err
		}
	}
	return nil
}

// Close ships what is left. It is called once.
func (s *Shipper) Close(ctx context.Context) error {
	s.cancel()
	<-s.done
	s.mu.Lock()
	s.active.seal()
	s.queue = append(s.queue, s.active)
	s.active = nil
	s.mu.Unlock()
	return s.ship(ctx)
}
