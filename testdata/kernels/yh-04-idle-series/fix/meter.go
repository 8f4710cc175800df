// Package meter counts events per label set and exports the deltas.
package meter

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Point is the growth of one series since the last export.
type Point struct {
	Series string
	Delta  int64
}

// Exporter ships points to the backend.
type Exporter interface {
	Export(ctx context.Context, points []Point) error
}

// quietLimit is how many exports without growth a series survives. Label sets
// come and go with short-lived jobs, so their memory has to be given back.
const quietLimit = 3

type series struct {
	mu      sync.Mutex
	sum     int64
	quiet   int
	retired bool
}

// add reports false if the series has been retired.
func (s *series) add(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired {
		return false
	}
	s.sum += n
	return true
}

// drain takes the growth of the series and retires it if it was quiet for long.
func (s *series) drain() (delta int64, retired bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delta, s.sum = s.sum, 0
	if delta != 0 {
		s.quiet = 0
		return delta, false
	}
	s.quiet++
	s.retired = s.quiet >= quietLimit
	return 0, s.retired
}

// Meter is a set of counters. Add may be called from any goroutine.
type Meter struct {
	exporter Exporter
	all      sync.Map // label set -> *series

	exporting sync.Mutex
	stop      chan struct{}
	done      chan struct{}
	stopOnce  sync.Once
}

// New returns a meter that exports at the given interval.
func New(exp Exporter, every time.Duration) *Meter {
	m := &Meter{exporter: exp, stop: make(chan struct{}), done: make(chan struct{})}
	go m.loop(every)
	return m
}

func (m *Meter) loop(every time.Duration) {
	defer close(m.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			if err := m.Flush(context.Background()); err != nil {
				slog.Warn("meter: export failed", "err", err)
			}
		}
	}
}

// Add increases a series by n.
func (m *Meter) Add(labels string, n int64) {
	for {
		s := m.lookup(labels)
		if s.add(n) {
			return
		}
		m.all.CompareAndDelete(labels, s)
	}
}

func (m *Meter) lookup(labels string) *series {
	if v, ok := m.all.Load(labels); ok {
		return v.(*series)
	}
	v, _ := m.all.LoadOrStore(labels, new(series))
	return v.(*series)
}

// Flush exports what has been counted since the last export.
func (m *Meter) Flush(ctx context.Context) error {
	m.exporting.Lock()
	defer m.exporting.Unlock()
	points := m.collect()
	if len(points) == 0 {
		return nil
	}
	if err := m.exporter.Export(ctx, points); err != nil {
		// The counts go into the next export.
		for _, p := range points {
			m.Add(p.Series, p.Delta)
		}
		return err
	}
	return nil
}

func (m *Meter) collect() []Point {
	var points []Point
	m.all.Range(func(k, v any) bool {
		s := v.(*series)
		delta, retired := s.drain()
		if retired {
			m.all.CompareAndDelete(k, s)
		}
		if delta != 0 {
			points = append(points, Point{Series: k.(string), Delta: delta})
		}
		return true
	})
	return points
}

// Shutdown stops the periodic export and exports the rest.
func (m *Meter) Shutdown(ctx context.Context) error {
	m.stopOnce.Do(func() { close(m.stop) })
	<-m.done
	return m.Flush(ctx)
}
