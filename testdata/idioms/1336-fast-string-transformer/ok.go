package bytesutil

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const cacheExpireSecs = 6 * 60

// FastStringTransformer implements fast transformer for strings.
//
// It caches transformed strings and returns them back on the next calls
// without calling the transformFunc, which may be expensive.
type FastStringTransformer struct {
	lastCleanupTime atomic.Uint64

	m sync.Map

	transformFunc func(s string) string
}

type fstEntry struct {
	lastAccessTime atomic.Uint64
	s              string
}

func unixTimestamp() uint64 {
	return uint64(time.Now().Unix())
}

// NewFastStringTransformer creates new transformer, which applies transformFunc to strings passed to Transform()
//
// transformFunc must return the same result for the same input.
func NewFastStringTransformer(transformFunc func(s string) string) *FastStringTransformer {
	fst := &FastStringTransformer{
		transformFunc: transformFunc,
	}
	fst.lastCleanupTime.Store(unixTimestamp())
	return fst
}

// NewLowerTransformer returns a transformer to lower case.
func NewLowerTransformer() *FastStringTransformer {
	return NewFastStringTransformer(strings.ToLower)
}

// Transform applies transformFunc to s and returns the result.
func (fst *FastStringTransformer) Transform(s string) string {
	ct := unixTimestamp()
	v, ok := fst.m.Load(s)
	if ok {
		// Fast path - the transformed s is found in the cache.
		e := v.(*fstEntry)
		if e.lastAccessTime.Load()+10 < ct {
			// Reduce the frequency of e.lastAccessTime update to once per 10 seconds
			// in order to improve the fast path speed on systems with many CPU cores.
			e.lastAccessTime.Store(ct)
		}
		return e.s
	}
	// Slow path - transform s and store it in the cache.
	sTransformed := fst.transformFunc(s)
	// Make a copy of s in order to limit memory usage to the s length,
	// since the s may point to bigger string.
	s = strings.Clone(s)
	if sTransformed == s {
		sTransformed = s
	}
	e := &fstEntry{
		s: sTransformed,
	}
	e.lastAccessTime.Store(ct)
	fst.m.Store(s, e)

	if needCleanup(&fst.lastCleanupTime, ct) {
		// Perform a global cleanup for fst.m by removing items, which weren't accessed for a while.
		// An item that is accessed right now may be removed as well; then it is made again.
		m := &fst.m
		deadline := ct - cacheExpireSecs
		m.Range(func(k, v any) bool {
			e := v.(*fstEntry)
			if e.lastAccessTime.Load() < deadline {
				m.Delete(k)
			}
			return true
		})
	}

	return sTransformed
}

// needCleanup tells one of the concurrent callers to clean up.
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
