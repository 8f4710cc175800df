// Package a collects the readings of meters into batches, one per site, that
// are sent to the utility.
package a

import (
	"sync"
	"time"
)

// Reading is one value of a meter.
type Reading struct {
	Meter string
	At    time.Time
	Value float64
}

// batch takes readings until it is sealed.
type batch struct {
	mu     sync.Mutex
	sealed bool
	items  []Reading
}

// add reports whether the batch has taken the reading.
func (b *batch) add(r Reading) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed {
		return false
	}
	b.items = append(b.items, r)
	return true
}

// seal ends the batch and returns what is in it.
func (b *batch) seal() []Reading {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sealed = true
	items := b.items
	b.items = nil
	return items
}

// size is for the metrics.
func (b *batch) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

// Collector has the open batch of each site. A batch leaves the map before it
// is sealed, so that a sealed one is never found again.
type Collector struct {
	mu   sync.Mutex
	open map[string]*batch
}

// NewCollector returns a collector without readings.
func NewCollector() *Collector {
	return &Collector{open: make(map[string]*batch)}
}

// current returns the open batch of site.
func (c *Collector) current(site string) *batch {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.open[site]
	if b == nil {
		b = &batch{}
		c.open[site] = b
	}
	return b
}

// Add stores a reading. It will be part of exactly one flush.
func (c *Collector) Add(site string, r Reading) {
	for !c.current(site).add(r) {
		// The batch was flushed in the meantime; take the next one.
	}
}

// Flush returns the readings of site since its last flush.
func (c *Collector) Flush(site string) []Reading {
	c.mu.Lock()
	b := c.open[site]
	delete(c.open, site)
	c.mu.Unlock()
	if b == nil {
		return nil
	}
	return b.seal()
}

// FlushAll flushes every site that has readings.
func (c *Collector) FlushAll() map[string][]Reading {
	c.mu.Lock()
	taken := c.open
	c.open = make(map[string]*batch)
	c.mu.Unlock()
	out := make(map[string][]Reading, len(taken))
	for site, b := range taken {
		if items := b.seal(); len(items) > 0 {
			out[site] = items
		}
	}
	return out
}

// Waiting returns the number of readings of site that are not flushed.
func (c *Collector) Waiting(site string) int {
	c.mu.Lock()
	b := c.open[site]
	c.mu.Unlock()
	if b == nil {
		return 0
	}
	return b.size()
}
