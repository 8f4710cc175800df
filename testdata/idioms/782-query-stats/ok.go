// Package querystats counts the queries a DNS server answers.
package querystats

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Query is one answered query.
type Query struct {
	Name    string
	Elapsed time.Duration
}

// Row is the summary of one name.
type Row struct {
	Name    string
	Count   uint64
	Slowest time.Duration
}

// Collector summarises queries in a goroutine of its own.
type Collector struct {
	in   chan Query
	quit chan struct{}
	done chan struct{}
	once sync.Once

	total    atomic.Uint64
	smoothed atomic.Int64 // nanoseconds

	mu   sync.RWMutex
	rows map[string]Row
}

// Start returns a running collector.
func Start() *Collector {
	c := &Collector{
		in:   make(chan Query, 1024),
		quit: make(chan struct{}),
		done: make(chan struct{}),
		rows: make(map[string]Row),
	}
	go c.loop()
	return c
}

// Record queues q. It may be called by any number of goroutines.
func (c *Collector) Record(q Query) {
	select {
	case c.in <- q:
	case <-c.quit:
	}
}

func (c *Collector) loop() {
	defer close(c.done)
	for {
		select {
		case q := <-c.in:
			c.account(q)
		case <-c.quit:
			return
		}
	}
}

func (c *Collector) account(q Query) {
	n := c.total.Load()
	avg := c.smoothed.Load()
	if n == 0 {
		avg = int64(q.Elapsed)
	} else {
		avg += (int64(q.Elapsed) - avg) / 16
	}
	c.smoothed.Store(avg)
	c.total.Store(n + 1)

	row := c.row(q.Name)
	row.Count++
	if q.Elapsed > row.Slowest {
		row.Slowest = q.Elapsed
	}
	c.mu.Lock()
	c.rows[q.Name] = row
	c.mu.Unlock()
}

func (c *Collector) row(name string) Row {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if r, ok := c.rows[name]; ok {
		return r
	}
	return Row{Name: name}
}

// Total returns the number of queries so far.
func (c *Collector) Total() uint64 { return c.total.Load() }

// Smoothed returns the weighted average answer time.
func (c *Collector) Smoothed() time.Duration { return time.Duration(c.smoothed.Load()) }

// Top returns the n most frequent names.
func (c *Collector) Top(n int) []Row {
	c.mu.RLock()
	out := make([]Row, 0, len(c.rows))
	for _, r := range c.rows {
		out = append(out, r)
	}
	c.mu.RUnlock()
	sort.Slice(out, func(i, j int) bool { return out[i].Count > out[j].Count })
	if len(out) > n {
		out = out[:n]
	}
	return out
}

// Close stops the collector. Queries still queued are dropped.
func (c *Collector) Close() {
	c.once.Do(func() { close(c.quit) })
	<-c.done
}
