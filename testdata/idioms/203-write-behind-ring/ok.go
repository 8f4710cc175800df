// Package ok caches the newest log entries.
package ok

import (
	"fmt"
	"sync"
)

// Log is an entry; it is never changed after it was stored.
type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// LogStore keeps entries and serialises itself.
type LogStore interface {
	GetLog(index uint64, log *Log) error
	StoreLogs(logs []*Log) error
	DeleteRange(min, max uint64) error
}

// LogCache wraps any LogStore implementation to provide an
// in-memory ring buffer. StoreLogs is only called by the main loop of the node,
// which is also the only one to truncate the end of the log.
type LogCache struct {
	store LogStore

	cache []*Log
	l     sync.RWMutex
}

// NewLogCache is used to create a new LogCache with the given capacity.
func NewLogCache(capacity int, store LogStore) (*LogCache, error) {
	if capacity <= 0 {
		return nil, fmt.Errorf("capacity must be positive")
	}
	return &LogCache{store: store, cache: make([]*Log, capacity)}, nil
}

// GetLog is called by the replication goroutines.
func (c *LogCache) GetLog(idx uint64, log *Log) error {
	// Check the buffer for an entry
	c.l.RLock()
	cached := c.cache[idx%uint64(len(c.cache))]
	c.l.RUnlock()

	// Check if entry is valid
	if cached != nil && cached.Index == idx {
		*log = *cached
		return nil
	}

	// Forward request on cache miss
	return c.store.GetLog(idx, log)
}

// StoreLog stores one entry.
func (c *LogCache) StoreLog(log *Log) error {
	return c.StoreLogs([]*Log{log})
}

// StoreLogs stores entries.
func (c *LogCache) StoreLogs(logs []*Log) error {
	err := c.store.StoreLogs(logs)
	// Insert the logs into the ring buffer, but only on success
	if err != nil {
		return fmt.Errorf("unable to store logs within log store, err: %q", err)
	}
	c.l.Lock()
	for _, l := range logs {
		c.cache[l.Index%uint64(len(c.cache))] = l
	}
	c.l.Unlock()
	return nil
}

// DeleteRange deletes entries. The snapshot goroutine calls it for entries
// that nobody asks for any more.
func (c *LogCache) DeleteRange(min, max uint64) error {
	// Invalidate the cache on deletes
	c.l.Lock()
	c.cache = make([]*Log, len(c.cache))
	c.l.Unlock()

	return c.store.DeleteRange(min, max)
}
