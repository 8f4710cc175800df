// Package fix adds up measurements per series and time window.
package fix

import (
	"errors"
	"math"
	"sync"
	"time"
)

// Point is the sum of the measurements of a window. A sink merges points that
// have the same name and window.
type Point struct {
	Name   string
	Window time.Time
	Count  int64
	Sum    float64
	Max    float64
}

type Sink interface {
	Write(Point) error
}

type cellKey struct {
	name   string
	window int64
}

type cell struct {
	mu    sync.Mutex
	count int64
	sum   float64
	max   float64
	done  bool // the point has been taken
}

// Aggregator collects measurements until they are flushed.
type Aggregator struct {
	width time.Duration
	sink  Sink

	mu    sync.RWMutex
	cells map[cellKey]*cell
}

func NewAggregator(width time.Duration, sink Sink) *Aggregator {
	return &Aggregator{width: width, sink: sink, cells: make(map[cellKey]*cell)}
}

// Observe records one measurement.
func (a *Aggregator) Observe(name string, at time.Time, v float64) {
	k := cellKey{name, at.Truncate(a.width).UnixNano()}
	for !a.cell(k).add(v) {
	}
}

// cell returns the cell for k, made on demand.
func (a *Aggregator) cell(k cellKey) *cell {
	a.mu.RLock()
	c, ok := a.cells[k]
	a.mu.RUnlock()
	if ok {
		return c
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok = a.cells[k]; !ok {
		c = &cell{max: math.Inf(-1)}
		a.cells[k] = c
	}
	return c
}

// add reports false when the cell is done and v has to go to another.
func (c *cell) add(v float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return false
	}
	c.count++
	c.sum += v
	c.max = math.Max(c.max, v)
	return true
}

func (c *cell) point(k cellKey) Point {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	return Point{
		Name:   k.name,
		Window: time.Unix(0, k.window),
		Count:  c.count,
		Sum:    c.sum,
		Max:    c.max,
	}
}

// detach takes out the cells of the windows that begin before t.
func (a *Aggregator) detach(t time.Time) map[cellKey]*cell {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make(map[cellKey]*cell)
	for k, c := range a.cells {
		if k.window < t.UnixNano() {
			out[k] = c
			delete(a.cells, k)
		}
	}
	return out
}

// Flush writes all windows that begin before t.
func (a *Aggregator) Flush(t time.Time) error {
	var errs []error
	for k, c := range a.detach(t) {
		if p := c.point(k); p.Count > 0 {
			errs = append(errs, a.sink.Write(p))
		}
	}
	return errors.Join(errs...)
}
