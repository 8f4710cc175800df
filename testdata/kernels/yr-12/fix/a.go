// Package series is the in-memory head of a time series database.
package series

import (
	"sort"
	"strings"
	"sync"
	"time"
)

// ID identifies a series in the sample log.
type ID uint32

// Labels are the name/value pairs of a series.
type Labels map[string]string

// key returns the canonical text form.
func (l Labels) key() string {
	names := make([]string, 0, len(l))
	for n := range l {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, n := range names {
		b.WriteString(n)
		b.WriteByte('=')
		b.WriteString(l[n])
		b.WriteByte(';')
	}
	return b.String()
}

// catalog assigns ids to label sets. IDs are dense and never reused.
type catalog struct {
	sync.RWMutex
	ids  map[string]ID
	keys []string
}

// id returns the id of the label set, assigning one on first sight.
func (c *catalog) id(key string) ID {
	c.RLock()
	id, ok := c.ids[key]
	c.RUnlock()
	if ok {
		return id
	}
	c.Lock()
	defer c.Unlock()
	if id, ok := c.ids[key]; ok {
		return id
	}
	id = ID(len(c.keys))
	c.keys = append(c.keys, key)
	c.ids[key] = id
	return id
}

// lookup returns the id without assigning one.
func (c *catalog) lookup(key string) (ID, bool) {
	c.RLock()
	defer c.RUnlock()
	id, ok := c.ids[key]
	return id, ok
}

type sample struct {
	at    time.Time
	value float64
}

// Head receives samples from all scrape goroutines.
type Head struct {
	cat catalog

	mu      sync.Mutex
	samples map[ID][]sample
}

func NewHead() *Head {
	return &Head{
		cat:     catalog{ids: make(map[string]ID)},
		samples: make(map[ID][]sample),
	}
}

// Append adds one sample.
func (h *Head) Append(l Labels, at time.Time, value float64) {
	id := h.cat.id(l.key())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.samples[id] = append(h.samples[id], sample{at, value})
}

// Sum adds up the samples of a series taken since from.
func (h *Head) Sum(l Labels, from time.Time) (sum float64) {
	id, ok := h.cat.lookup(l.key())
	if !ok {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.samples[id] {
		if !s.at.Before(from) {
			sum += s.value
		}
	}
	return sum
}

// Target is something to scrape.
type Target interface {
	Scrape() map[string]float64
}

// Scrape reads all targets in parallel.
func (h *Head) Scrape(job string, targets []Target) {
	var wg sync.WaitGroup
	for _, t := range targets {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for name, v := range t.Scrape() {
				h.Append(Labels{"job": job, "name": name}, time.Now(), v)
			}
		}()
	}
	wg.Wait()
}
