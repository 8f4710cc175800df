// Package fix is the write path of a small time series engine: a log for
// durability, a cache for queries, and tables on disk.
package fix

import (
	"maps"
	"slices"
	"sync"
)

type entry struct {
	seq uint64
	key string
	val float64
}

// Log is the durable log of points that are not in a table yet.
type Log struct {
	mu      sync.Mutex
	last    uint64
	entries []entry
}

func (l *Log) append(key string, val float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.entries = append(l.entries, entry{l.last, key, val})
}

func (l *Log) position() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

func (l *Log) truncate(to uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.DeleteFunc(l.entries, func(e entry) bool { return e.seq <= to })
}

func (l *Log) replay(fn func(key string, val float64)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		fn(e.key, e.val)
	}
}

type cache struct {
	mu     sync.RWMutex
	hot    map[string][]float64
	frozen map[string][]float64
}

func (c *cache) add(key string, val float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hot[key] = append(c.hot[key], val)
}

func (c *cache) freeze() map[string][]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen, c.hot = c.hot, make(map[string][]float64)
	return c.frozen
}

func (c *cache) settle(written bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !written {
		back := maps.Clone(c.frozen)
		for k, vs := range c.hot {
			back[k] = slices.Concat(back[k], vs)
		}
		c.hot = back
	}
	c.frozen = nil
}

func (c *cache) values(key string) []float64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Concat(c.frozen[key], c.hot[key])
}

// Tables writes sorted tables.
type Tables interface {
	Write(points map[string][]float64) error
}

// Engine ties log, cache and tables together.
type Engine struct {
	log    *Log
	cache  cache
	tables Tables

	mu      sync.RWMutex // held for reading by writes, for writing at a cut
	flushMu sync.Mutex   // one flush at a time
}

// Open returns an engine with the points that log still holds.
func Open(log *Log, tables Tables) *Engine {
	e := &Engine{log: log, tables: tables}
	e.cache.hot = make(map[string][]float64)
	log.replay(e.cache.add)
	return e
}

// Write stores a point.
func (e *Engine) Write(key string, val float64) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	e.log.append(key, val)
	e.cache.add(key, val)
}

// Cached returns the points of key that are not in a table yet.
func (e *Engine) Cached(key string) []float64 {
	return e.cache.values(key)
}

// Flush moves the cached points into a table and cuts the log.
func (e *Engine) Flush() error {
	e.flushMu.Lock()
	defer e.flushMu.Unlock()

	e.mu.Lock()
	points := e.cache.freeze()
	upTo := e.log.position()
	e.mu.Unlock()

	if err := e.tables.Write(points); err != nil {
		e.cache.settle(false)
		return err
	}
	e.log.truncate(upTo)
	e.cache.settle(true)
	return nil
}
