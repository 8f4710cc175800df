package raft

import (
	"errors"
	"fmt"
	"sync"
)

var ErrLogNotFound = errors.New("log not found")

// Log entries are replicated to all members of the Raft cluster. They are not
// modified once they were handed to a LogStore.
type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// LogStore is used to provide an interface for storing and retrieving logs.
type LogStore interface {
	FirstIndex() (uint64, error)
	LastIndex() (uint64, error)
	GetLog(index uint64, log *Log) error
	StoreLogs(logs []*Log) error
	DeleteRange(min, max uint64) error
}

// InmemStore implements the LogStore interface.
type InmemStore struct {
	l    sync.RWMutex
	low  uint64
	high uint64
	logs map[uint64]*Log
}

func NewInmemStore() *InmemStore {
	return &InmemStore{logs: make(map[uint64]*Log)}
}

func (i *InmemStore) FirstIndex() (uint64, error) {
	i.l.RLock()
	defer i.l.RUnlock()
	return i.low, nil
}

func (i *InmemStore) LastIndex() (uint64, error) {
	i.l.RLock()
	defer i.l.RUnlock()
	return i.high, nil
}

func (i *InmemStore) GetLog(index uint64, log *Log) error {
	i.l.RLock()
	defer i.l.RUnlock()
	l, ok := i.logs[index]
	if !ok {
		return ErrLogNotFound
	}
	*log = *l
	return nil
}

func (i *InmemStore) StoreLogs(logs []*Log) error {
	i.l.Lock()
	defer i.l.Unlock()
	for _, l := range logs {
		i.logs[l.Index] = l
		if i.low == 0 {
			i.low = l.Index
		}
		i.high = max(i.high, l.Index)
	}
	return nil
}

func (i *InmemStore) DeleteRange(min, max uint64) error {
	i.l.Lock()
	defer i.l.Unlock()
	for j := min; j <= max; j++ {
		delete(i.logs, j)
	}
	if min <= i.low {
		i.low = max + 1
	}
	if max >= i.high {
		i.high = min - 1
	}
	return nil
}

// LogCache wraps any LogStore implementation to provide an in-memory ring
// buffer. This is used to cache access to the recently written entries.
type LogCache struct {
	store LogStore

	cache []*Log
	l     sync.RWMutex
}

func NewLogCache(capacity int, store LogStore) (*LogCache, error) {
	if capacity <= 0 {
		return nil, fmt.Errorf("capacity must be positive")
	}
	return &LogCache{store: store, cache: make([]*Log, capacity)}, nil
}

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

// StoreLogs is called by the main thread of raft only.
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

// DeleteRange deletes a range of log entries. The range is inclusive.
func (c *LogCache) DeleteRange(min, max uint64) error {
	// Invalidate the cache on deletes
	c.l.Lock()
	c.cache = make([]*Log, len(c.cache))
	c.l.Unlock()

	return c.store.DeleteRange(min, max)
}
