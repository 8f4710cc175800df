// Package shipper collects log lines and sends them in batches to a remote
// collector. Lines stay buffered until the collector has taken them.
package shipper

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Sink takes batches, usually over HTTP.
type Sink interface {
	Send(ctx context.Context, lines []string) error
}

// Options configure a Shipper.
type Options struct {
	MaxLines int           // buffered lines before the oldest are dropped
	Interval time.Duration // between flushes
}

// Shipper is safe for concurrent use.
type Shipper struct {
	sink Sink
	opts Options

	flushMu sync.Mutex // one flush at a time, keeps the order of lines

	mu      sync.Mutex
	buf     []string
	dropped uint64
	shipped uint64
}

// New returns a Shipper; call Run to have it flush by itself.
func New(sink Sink, opts Options) *Shipper {
	if opts.MaxLines <= 0 {
		opts.MaxLines = 10000
	}
	if opts.Interval <= 0 {
		opts.Interval = 5 * time.Second
	}
	return &Shipper{sink: sink, opts: opts}
}

// Append buffers a line. It never blocks on the network: when the buffer is
// full the oldest line has to go.
func (s *Shipper) Append(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(s.buf, line)
	s.limitLocked()
}

func (s *Shipper) limitLocked() {
	if over := len(s.buf) - s.opts.MaxLines; over > 0 {
		s.buf = s.buf[over:]
		s.dropped += uint64(over)
	}
}

// Flush sends what is buffered. On error the lines are kept for the next try.
func (s *Shipper) Flush(ctx context.Context) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()

	s.mu.Lock()
	batch := slices.Clone(s.buf)
	s.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}

	if err := s.sink.Send(ctx, batch); err != nil {
		return fmt.Errorf("shipper: send %d lines: %w", len(batch), err)
	}

	s.mu.Lock()
	s.buf = s.buf[len(batch):]
	s.shipped += uint64(len(batch))
	s.mu.Unlock()
	return nil
}

// Run flushes until ctx ends, then once more with a short deadline.
func (s *Shipper) Run(ctx context.Context, onError func(error)) {
	t := time.NewTicker(s.opts.Interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := s.Flush(ctx); err != nil {
				onError(err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
			defer cancel()
			if err := s.Flush(last); err != nil {
				onError(err)
			}
			return
		}
	}
}

// Stats returns the number of lines sent and of lines dropped.
func (s *Shipper) Stats() (shipped, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shipped, s.dropped
}
