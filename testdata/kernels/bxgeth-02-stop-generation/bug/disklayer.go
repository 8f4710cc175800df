// Package bug keeps a flat copy of the state, built in the background.
package bug

import (
	"bytes"
	"errors"
	"sync"
)

var errStale = errors.New("layer stale")

// Database is the store below the snapshot.
type Database interface {
	// Next returns the first account after the marker, nil at the end.
	Next(marker []byte) (key, val []byte, err error)
	Write(key, val []byte) error
	Read(key []byte) ([]byte, error)
}

type generatorStats struct {
	accounts uint64
	err      error
}

type diskLayer struct {
	diskdb Database
	cache  *cache

	root  string
	stale bool

	genMarker  []byte                    // Marker for the state that's indexed during initial layer generation
	genPending chan struct{}             // Notification channel when generation is done
	genAbort   chan chan *generatorStats // Notification channel to abort generating the snapshot in this layer

	lock sync.RWMutex
}

type cache struct {
	mu sync.Mutex
	m  map[string][]byte
}

func (c *cache) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m = make(map[string][]byte)
}

// Account reads one account.
func (dl *diskLayer) Account(key []byte) ([]byte, error) {
	dl.lock.RLock()
	defer dl.lock.RUnlock()
	if dl.stale {
		return nil, errStale
	}
	if dl.genMarker != nil && bytes.Compare(key, dl.genMarker) > 0 {
		return nil, errors.New("not covered yet")
	}
	return dl.diskdb.Read(key)
}

func (dl *diskLayer) markStale() {
	dl.lock.Lock()
	defer dl.lock.Unlock()
	dl.stale = true
}

// Release releases the layer.
func (dl *diskLayer) Release() {
	dl.cache.reset()
}

// stopGeneration aborts the state snapshot generation if it is currently running.
func (dl *diskLayer) stopGeneration() {
	dl.lock.RLock()
	generating := dl.genMarker != nil
	dl.lock.RUnlock()
	if !generating {
		return
	}
	if dl.genAbort != nil {
		abort := make(chan *generatorStats)
		dl.genAbort <- abort
		<-abort
	}
}
