package a

import (
	"slices"
	"sync"
)

// PointWriter makes points durable. It does not keep the map.
type PointWriter interface {
	WritePoints(points map[string][]float64) error
}

// Cache collects points until they are written.
type Cache struct {
	w PointWriter

	mu       sync.RWMutex
	hot      map[string][]float64
	snapshot map[string][]float64
	flushing bool
	flushes  int
}

// NewCache returns an empty cache over w.
func NewCache(w PointWriter) *Cache {
	return &Cache{w: w, hot: make(map[string][]float64)}
}

// Add takes one point.
func (c *Cache) Add(series string, v float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hot[series] = append(c.hot[series], v)
}

// Points returns the points of a series that are not durable yet.
func (c *Cache) Points(series string) []float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Concat(c.snapshot[series], c.hot[series])
}

// Flush writes the points. While another Flush is under way it does nothing.
func (c *Cache) Flush() error {
	c.mu.Lock()
	if c.flushing || len(c.hot) == 0 {
		c.mu.Unlock()
		return nil
	}
	c.flushing = true
	points := c.hot
	c.snapshot = points
	c.hot = make(map[string][]float64)
	c.mu.Unlock()

	err := c.w.WritePoints(points)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushing = false
	c.snapshot = nil
	if err != nil {
		for series, old := range points {
			c.hot[series] = slices.Concat(old, c.hot[series])
		}
		return err
	}
	c.flushes++
	return nil
}

// Flushes reports how often points were written.
func (c *Cache) Flushes() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.flushes
}
