// Correct: Add touches a group only under the collector's lock, while the group
// is in the map. Drain takes the whole map out for good; after that it is the
// only one who knows these groups, and may look at them as often as it likes.

// Package ok collects latencies per endpoint and reports summaries.
package ok

import (
	"sync"
	"time"
)

// group has its own lock since Peek reads it while it grows.
type group struct {
	mu    sync.Mutex
	count int
	sum   time.Duration
	worst time.Duration
}

func (g *group) add(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	g.sum += d
	g.worst = max(g.worst, d)
}

func (g *group) size() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}

func (g *group) mean() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sum / time.Duration(g.count)
}

func (g *group) max() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.worst
}

// Summary describes the calls of an endpoint between two drains.
type Summary struct {
	Endpoint string
	Count    int
	Mean     time.Duration
	Max      time.Duration
}

// Collector groups latencies.
type Collector struct {
	mu     sync.RWMutex
	groups map[string]*group
}

func New() *Collector { return &Collector{groups: make(map[string]*group)} }

// Add records one call.
func (c *Collector) Add(endpoint string, d time.Duration) {
	if c.addKnown(endpoint, d) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g, ok := c.groups[endpoint]
	if !ok {
		g = new(group)
		c.groups[endpoint] = g
	}
	g.add(d)
}

// addKnown holds the read lock for as long as it uses the group.
func (c *Collector) addKnown(endpoint string, d time.Duration) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g, ok := c.groups[endpoint]
	if ok {
		g.add(d)
	}
	return ok
}

// Peek returns the number of calls since the last drain.
func (c *Collector) Peek(endpoint string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if g, ok := c.groups[endpoint]; ok {
		return g.size()
	}
	return 0
}

func (c *Collector) detach() map[string]*group {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.groups
	c.groups = make(map[string]*group, len(out))
	return out
}

// Drain returns what has been recorded since the last drain.
func (c *Collector) Drain() []Summary {
	var out []Summary
	for name, g := range c.detach() {
		if g.size() == 0 {
			continue
		}
		out = append(out, Summary{Endpoint: name, Count: g.size(), Mean: g.mean(), Max: g.max()})
	}
	return out
}
