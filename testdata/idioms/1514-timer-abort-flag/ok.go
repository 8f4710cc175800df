package ok

import (
	"sync"
	"time"
)

type Address struct {
	Addr       string
	ServerName string
}

type SubConn interface {
	Connect()
}

type ClientConn interface {
	NewSubConn(addr Address) (SubConn, error)
	RemoveSubConn(sc SubConn)
}

// lbCacheClientConn is a wrapper ClientConn with a SubConn cache.
// SubConns will be kept in cache for timeout before being removed.
type lbCacheClientConn struct {
	cc      ClientConn
	timeout time.Duration

	mu sync.Mutex
	// subConnCache only keeps subConns that are being deleted.
	subConnCache  map[Address]*subConnCacheEntry
	subConnToAddr map[SubConn]Address
}

type subConnCacheEntry struct {
	sc SubConn

	cancel        func()
	abortDeleting bool
}

func newLBCacheClientConn(cc ClientConn) *lbCacheClientConn {
	return &lbCacheClientConn{
		cc:            cc,
		timeout:       10 * time.Second,
		subConnCache:  make(map[Address]*subConnCacheEntry),
		subConnToAddr: make(map[SubConn]Address),
	}
}

func (ccc *lbCacheClientConn) NewSubConn(addr Address) (SubConn, error) {
	ccc.mu.Lock()
	defer ccc.mu.Unlock()
	if entry, ok := ccc.subConnCache[addr]; ok {
		// If entry is in subConnCache, the SubConn was being deleted.
		// cancel function will never be nil.
		entry.cancel()
		delete(ccc.subConnCache, addr)
		return entry.sc, nil
	}

	scNew, err := ccc.cc.NewSubConn(addr)
	if err != nil {
		return nil, err
	}
	ccc.subConnToAddr[scNew] = addr
	return scNew, nil
}

func (ccc *lbCacheClientConn) RemoveSubConn(sc SubConn) {
	ccc.mu.Lock()
	defer ccc.mu.Unlock()
	addr, ok := ccc.subConnToAddr[sc]
	if !ok {
		return
	}

	if entry, ok := ccc.subConnCache[addr]; ok {
		if entry.sc != sc {
			// NewSubConn was called multiple times for the same address, and
			// those SubConns are all removed. We remove sc immediately here.
			delete(ccc.subConnToAddr, sc)
			ccc.cc.RemoveSubConn(sc)
		}
		return
	}

	entry := &subConnCacheEntry{sc: sc}
	ccc.subConnCache[addr] = entry

	timer := time.AfterFunc(ccc.timeout, func() {
		ccc.mu.Lock()
		defer ccc.mu.Unlock()
		if entry.abortDeleting {
			return
		}
		ccc.cc.RemoveSubConn(sc)
		delete(ccc.subConnToAddr, sc)
		delete(ccc.subConnCache, addr)
	})
	entry.cancel = func() {
		if !timer.Stop() {
			// The timer has fired, but the deleting function is blocked on
			// ccc.mu because the mutex is held by the caller of this function.
			// It will look at abortDeleting when it gets the lock.
			entry.abortDeleting = true
		}
	}
}

func (ccc *lbCacheClientConn) close() {
	ccc.mu.Lock()
	// Only cancel all existing timers. There's no need to remove SubConns.
	for _, entry := range ccc.subConnCache {
		entry.cancel()
	}
	ccc.mu.Unlock()
}
