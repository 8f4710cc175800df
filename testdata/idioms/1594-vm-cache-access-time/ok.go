package a

import (
	"sync"
	"sync/atomic"
	"time"
)

var currentTimestamp atomic.Uint64

func unixTimestamp() uint64 { return currentTimestamp.Load() }

// runTicker updates the timestamp once per second.
func runTicker(stopCh <-chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-stopCh:
			return
		case tm := <-t.C:
			currentTimestamp.Store(uint64(tm.Unix()))
		}
	}
}

const cacheExpireSeconds = 6 * 60

type fsmEntry struct {
	lastAccessTime atomic.Uint64
	s              string
}

// FastStringTransformer implements fast transformer for strings.
type FastStringTransformer struct {
	lastCleanupTime atomic.Uint64

	m sync.Map

	transformFunc func(s string) string
}

// NewFastStringTransformer creates new transformer, which applies transformFunc to strings passed to Transform()
func NewFastStringTransformer(transformFunc func(s string) string) *FastStringTransformer {
	fst := &FastStringTransformer{transformFunc: transformFunc}
	fst.lastCleanupTime.Store(unixTimestamp())
	return fst
}

// Transform applies transformFunc to s and returns the result.
func (fst *FastStringTransformer) Transform(s string) string {
	ct := unixTimestamp()
	v, ok := fst.m.Load(s)
	if ok {
		// Fast path - the transformed s is found in the cache.
		e := v.(*fsmEntry)
		if e.lastAccessTime.Load()+10 < ct {
			// Reduce the frequency of e.lastAccessTime update to once per 10 seconds
			// in order to improve the fast path speed on systems with many CPU cores.
			e.lastAccessTime.Store(ct)
		}
		return e.s
	}
	// Slow path - transform s and store it in the cache.
	sTransformed := fst.transformFunc(s)
	e := &fsmEntry{s: sTransformed}
	e.lastAccessTime.Store(ct)
	fst.m.Store(s, e)

	if needCleanup(&fst.lastCleanupTime, ct) {
		// Perform a global cleanup for fst.m by removing items, which weren't accessed recently.
		deadline := ct - cacheExpireSeconds
		fst.m.Range(func(k, v any) bool {
			if v.(*fsmEntry).lastAccessTime.Load() < deadline {
				fst.m.Delete(k)
			}
			return true
		})
	}
	return sTransformed
}

func needCleanup(lastCleanupTime *atomic.Uint64, currentTime uint64) bool {
	lct := lastCleanupTime.Load()
	if lct+61 >= currentTime {
		return false
	}
	// Atomically compare and swap the current time with the lastCleanupTime
	// in order to guarantee that only a single goroutine out of multiple
	// concurrently executing goroutines gets true from the call.
	return lastCleanupTime.CompareAndSwap(lct, currentTime)
}
