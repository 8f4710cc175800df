// Package sums adds up samples per series between two flushes.
package sums

import (
	"context"
	"sync"
	"time"
)

// Sample is one measured value.
type Sample struct {
	Series string
	Value  float64
}

// Output is the state of a series at a flush.
type Output struct {
	Series string
	Count  uint64
	Sum    float64
	Last   float64
}

// series is the state of one series.
type series struct {
	mu       sync.Mutex
	count    uint64
	sum      float64
	last     float64
	deadline time.Time
	deleted  bool // set when the series is about to leave the map
}

// Aggregator adds up samples. Push may be called by many goroutines.
type Aggregator struct {
	interval time.Duration
	stale    time.Duration
	emit     func([]Output)

	m sync.Map // name -> *series

	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// New returns an aggregator that hands the sums of each interval to emit.
// Series without samples for the time stale are forgotten.
func New(interval, stale time.Duration, emit func([]Output)) *Aggregator {
	ctx, cancel := context.WithCancel(context.Background())
	a := &Aggregator{interval: interval, stale: stale, emit: emit, cancel: cancel}
	a.wg.Add(1)
	go a.flusher(ctx)
	return a
}

// Push adds samples.
func (a *Aggregator) Push(samples []Sample) {
	deadline := time.Now().Add(a.stale)
	for _, smp := range samples {
		a.push(smp, deadline)
	}
}

func (a *Aggregator) push(smp Sample, deadline time.Time) {
again:
	v, ok := a.m.Load(smp.Series)
	if !ok {
		// The series is missing. Make it, unless somebody else does.
		v, _ = a.m.LoadOrStore(smp.Series, &series{})
	}
	s := v.(*series)
	s.mu.Lock()
	deleted := s.deleted
	if !deleted {
		s.count++
		s.sum += smp.Value
		s.last = smp.Value
		if deadline.After(s.deadline) {
			s.deadline = deadline
		}
	}
	s.mu.Unlock()
	if deleted {
		// The flusher has taken the series out in the meantime.
		goto again
	}
}

// flush collects the sums and starts new ones. It is called by the flusher
// only, and by Stop once the flusher has returned.
func (a *Aggregator) flush(now time.Time, last bool) {
	var out []Output
	a.m.Range(func(k, v any) bool {
		s := v.(*series)
		s.mu.Lock()
		if s.count > 0 {
			out = append(out, Output{Series: k.(string), Count: s.count, Sum: s.sum, Last: s.last})
			s.count, s.sum = 0, 0
		}
		if last || now.After(s.deadline) && !s.deadline.IsZero() {
			s.deleted = true
		}
		deleted := s.deleted
		s.mu.Unlock()
		if deleted {
			a.m.Delete(k)
		}
		return true
	})
	if len(out) > 0 {
		a.emit(out)
	}
}

func (a *Aggregator) flusher(ctx context.Context) {
	defer a.wg.Done()
	t := time.NewTicker(a.interval)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			a.flush(now, false)
		case <-ctx.Done():
			return
		}
	}
}

// Len returns the number of series, roughly.
func (a *Aggregator) Len() int {
	n := 0
	a.m.Range(func(_, _ any) bool {
		n++
		return true
	})
	return n
}

// Stop flushes what is left. Push must not be called any more.
func (a *Aggregator) Stop() {
	a.cancel()
	a.wg.Wait()
	a.flush(time.Now(), true)
}
