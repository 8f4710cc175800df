// Package shipper tails log files and sends their lines to an aggregator.
package shipper

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Line is one log line.
type Line struct {
	File string
	Text string
}

// Aggregator takes lines. Send blocks until the lines are stored.
type Aggregator interface {
	Send(ctx context.Context, lines []Line) error
}

// counters are for the log and the debug page only.
type counters struct {
	accepted atomic.Uint64
	dropped  atomic.Uint64
	sent     atomic.Uint64
	failures atomic.Uint64
}

// String formats the counters. They are read one after the other while lines
// are being processed, so that they may be off by a few against each other.
func (c *counters) String() string {
	return fmt.Sprintf("accepted=%d dropped=%d sent=%d failures=%d",
		c.accepted.Load(), c.dropped.Load(), c.sent.Load(), c.failures.Load())
}

// Shipper buffers lines and sends them in batches. The tailers call Enqueue
// from one goroutine per file.
type Shipper struct {
	agg   Aggregator
	batch int
	lines chan Line
	stats counters
	wg    sync.WaitGroup
}

// New returns a shipper with room for the given number of lines.
func New(agg Aggregator, room, batch int) *Shipper {
	return &Shipper{agg: agg, batch: batch, lines: make(chan Line, room)}
}

// Enqueue takes a line without blocking. A line that finds no room is lost.
func (s *Shipper) Enqueue(l Line) bool {
	select {
	case s.lines <- l:
		s.stats.accepted.Add(1)
		return true
	default:
		s.stats.dropped.Add(1)
		return false
	}
}

// Start runs the senders until ctx ends. Wait waits for their end.
func (s *Shipper) Start(ctx context.Context, senders int, report time.Duration) {
	for range senders {
		s.wg.Add(1)
		go func() {
			defer s.wg.Done()
			s.send(ctx)
		}()
	}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.logProgress(ctx, report)
	}()
}

// Wait returns when the goroutines of Start have ended.
func (s *Shipper) Wait() { s.wg.Wait() }

// send collects lines to batches and sends them.
func (s *Shipper) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-s.lines:
			s.deliver(ctx, s.collect(first))
		}
	}
}

func (s *Shipper) collect(first Line) []Line {
	lines := append(make([]Line, 0, s.batch), first)
	for len(lines) < s.batch {
		select {
		case l := <-s.lines:
			lines = append(lines, l)
		default:
			return lines
		}
	}
	return lines
}

// deliver sends a batch, and tries again until it is stored or ctx ends.
func (s *Shipper) deliver(ctx context.Context, lines []Line) {
	for {
		err := s.agg.Send(ctx, lines)
		if err == nil {
			s.stats.sent.Add(uint64(len(lines)))
			return
		}
		s.stats.failures.Add(1)
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// logProgress writes the counters to the log unless nothing was accepted or
// dropped in the interval.
func (s *Shipper) logProgress(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	var last uint64
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if seen := s.stats.accepted.Load() + s.stats.dropped.Load(); seen != last {
				last = seen
				log.Printf("shipper: %s", &s.stats)
			}
		}
	}
}

// Debug returns the counters for the debug page.
func (s *Shipper) Debug() string {
	return fmt.Sprintf("%s queued=%d", &s.stats, len(s.lines))
}
