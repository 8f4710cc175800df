// Package autosize adapts the size of a worker pool to its load.
package autosize

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Gauge measures the load of the pool between 0 and 1.
type Gauge func() float64

// Bounds limits the size.
type Bounds struct {
	Min, Max int
}

func (b Bounds) clamp(n int) int { return min(b.Max, max(b.Min, n)) }

// Sizer decides on the size of a pool.
type Sizer struct {
	bounds Bounds
	gauge  Gauge
	every  time.Duration

	mu   sync.RWMutex
	size int
	when time.Time

	busy atomic.Int64
	done chan struct{}
}

// Start starts to follow the gauge until ctx ends.
func Start(ctx context.Context, b Bounds, g Gauge, every time.Duration) *Sizer {
	s := &Sizer{
		bounds: b,
		gauge:  g,
		every:  every,
		size:   b.Min,
		when:   time.Now(),
		done:   make(chan struct{}),
	}
	go s.loop(ctx)
	return s
}

// Size returns the current size.
func (s *Sizer) Size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.size
}

// LastChange returns when the size was last changed.
func (s *Sizer) LastChange() time.Time {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.when
}

func (s *Sizer) resize(n int, now time.Time) {
	s.mu.Lock()
	s.size = n
	s.when = now
	s.mu.Unlock()
}

func (s *Sizer) propose(load float64) int {
	cur := s.Size()
	switch {
	case load > 0.85:
		return s.bounds.clamp(cur + 1 + cur/4)
	case load < 0.3:
		return s.bounds.clamp(cur - 1)
	}
	return cur
}

func (s *Sizer) loop(ctx context.Context) {
	defer close(s.done)
	t := time.NewTicker(s.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			load := s.gauge()
			want := s.propose(load)
			if want == s.Size() {
				continue
			}
			log.Printf("autosize: load %.2f, size %d -> %d", load, s.Size(), want)
			s.resize(want, now)
		}
	}
}

// Done is closed when the sizer has stopped.
func (s *Sizer) Done() <-chan struct{} { return s.done }

// TryRun runs fn if fewer than Size calls are running.
func (s *Sizer) TryRun(fn func()) bool {
	if s.busy.Add(1) > int64(s.Size()) {
		s.busy.Add(-1)
		return false
	}
	defer s.busy.Add(-1)
	fn()
	return true
}
