package raft

import (
	"fmt"
	"sync"
)

// Log entries are immutable once they are stored.
type Log struct {
	Index uint64
	Term  uint64
	Data  []byte
}

// LogStore is safe for concurrent use.
type LogStore interface {
	GetLog(index uint64, log *Log) error
	StoreLogs(logs []*Log) error
	DeleteRange(min, max uint64) error
}

// LogCache wraps any LogStore implementation to provide an
// in-memory ring buffer. This is used to cache access to
// the recently written entries. Entries are written, and conflicting entries
// at the end are deleted, by the main goroutine of raft only; the replication
// goroutines read, and the snapshot goroutine deletes at the start.
type LogCache struct {
	store LogStore

	cache []*Log
	l     sync.RWMutex
}

// NewLogCache is used to create a new LogCache with the
// given capacity and backend store.
func NewLogCache(capacity int, store LogStore) (*LogCache, error) {
	if capacity <= 0 {
		return nil, fmt.Errorf("capacity must be positive")
	}
	return &LogCache{
		store: store,
		cache: make([]*Log, capacity),
	}, nil
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

func (c *LogCache) DeleteRange(min, max uint64) error {
	// Invalidate the cache on deletes
	c.l.Lock()
	c.cache = make([]*Log, len(c.cache))
	c.l.Unlock()

	return c.store.DeleteRange(min, max)
}

type request struct {
	logs  []*Log
	errCh chan error
}

// Raft has the goroutines that use the cache.
type Raft struct {
	logs       *LogCache
	appendCh   chan request
	compactCh  chan uint64
	shutdownCh chan struct{}
}

func NewRaft(logs *LogCache) *Raft {
	r := &Raft{logs: logs, appendCh: make(chan request), compactCh: make(chan uint64), shutdownCh: make(chan struct{})}
	go r.run()
	go r.runSnapshots()
	return r
}

// run replaces the conflicting end of the log by the new entries.
func (r *Raft) run() {
	last := uint64(0)
	for {
		select {
		case req := <-r.appendCh:
			first := req.logs[0].Index
			var err error
			if first <= last {
				err = r.logs.DeleteRange(first, last)
			}
			if err == nil {
				err = r.logs.StoreLogs(req.logs)
			}
			if err == nil {
				last = req.logs[len(req.logs)-1].Index
			}
			req.errCh <- err
		case <-r.shutdownCh:
			return
		}
	}
}

// runSnapshots removes entries that are in a snapshot and long applied.
func (r *Raft) runSnapshots() {
	for {
		select {
		case upTo := <-r.compactCh:
			_ = r.logs.DeleteRange(1, upTo)
		case <-r.shutdownCh:
			return
		}
	}
}

// Replicate reads an entry for a follower.
func (r *Raft) Replicate(idx uint64) (*Log, error) {
	l := new(Log)
	return l, r.logs.GetLog(idx, l)
}
