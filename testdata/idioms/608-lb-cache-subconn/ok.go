// Package grpclb keeps connections for a while after they are not used.
package grpclb

import (
	"sync"
	"time"
)

// SubConn is a connection.
type SubConn interface {
	Connect()
	Shutdown()
}

// ClientConn makes connections and takes the state of the balancer.
type ClientConn interface {
	NewSubConn(addr string) (SubConn, error)
	UpdateState(picker any)
}

const subConnCacheTime = time.Second * 10

// lbCacheClientConn is a wrapper balancer.ClientConn with a SubConn cache.
// SubConns will be kept in cache for subConnCacheTime before being shut down.
//
// Its NewSubconn and SubConn.Shutdown methods are updated to do cache first.
type lbCacheClientConn struct {
	ClientConn

	timeout time.Duration

	mu sync.Mutex
	// subConnCache only keeps subConns that are being deleted.
	subConnCache  map[string]*subConnCacheEntry
	subConnToAddr map[*lbCacheSubConn]string
}

type subConnCacheEntry struct {
	sc *lbCacheSubConn

	cancel        func()
	abortDeleting bool
}

// NewCacheClientConn wraps a connection.
func NewCacheClientConn(cc ClientConn) *lbCacheClientConn {
	return &lbCacheClientConn{
		ClientConn:    cc,
		timeout:       subConnCacheTime,
		subConnCache:  make(map[string]*subConnCacheEntry),
		subConnToAddr: make(map[*lbCacheSubConn]string),
	}
}

// NewSubConn returns the cached connection to an address, or a new one.
func (ccc *lbCacheClientConn) NewSubConn(addr string) (SubConn, error) {
	ccc.mu.Lock()
	defer ccc.mu.Unlock()
	if entry, ok := ccc.subConnCache[addr]; ok {
		// If entry is in subConnCache, the SubConn was being deleted.
		// cancel function will never be nil.
		entry.cancel()
		delete(ccc.subConnCache, addr)
		return entry.sc, nil
	}

	scNew, err := ccc.ClientConn.NewSubConn(addr)
	if err != nil {
		return nil, err
	}
	sc := &lbCacheSubConn{SubConn: scNew, ccc: ccc}
	ccc.subConnToAddr[sc] = addr
	return sc, nil
}

type lbCacheSubConn struct {
	SubConn
	ccc *lbCacheClientConn
}

// Shutdown puts the connection into the cache.
func (sc *lbCacheSubConn) Shutdown() {
	ccc := sc.ccc
	ccc.mu.Lock()
	defer ccc.mu.Unlock()
	addr, ok := ccc.subConnToAddr[sc]
	if !ok {
		return
	}

	if entry, ok := ccc.subConnCache[addr]; ok {
		if entry.sc != sc {
			// This could happen if NewSubConn was called multiple times for
			// the same address, and those SubConns are all shut down. We
			// remove sc immediately here.
			delete(ccc.subConnToAddr, sc)
			sc.SubConn.Shutdown()
		}
		return
	}

	entry := &subConnCacheEntry{
		sc: sc,
	}
	ccc.subConnCache[addr] = entry

	timer := time.AfterFunc(ccc.timeout, func() {
		ccc.mu.Lock()
		defer ccc.mu.Unlock()
		if entry.abortDeleting {
			return
		}
		sc.SubConn.Shutdown()
		delete(ccc.subConnToAddr, sc)
		delete(ccc.subConnCache, addr)
	})
	entry.cancel = func() {
		if !timer.Stop() {
			// If stop was not successful, the timer has fired (this can only
			// happen in a race). But the deleting function is blocked on ccc.mu
			// because the mutex was held by the caller of this function.
			//
			// Set abortDeleting to true to abort the deleting function. When
			// the lock is released, the deleting function will acquire the
			// lock, check the value of abortDeleting and return.
			entry.abortDeleting = true
		}
	}
}

// NumSubConns returns how many connections are open, cached ones included.
func (ccc *lbCacheClientConn) NumSubConns() int {
	ccc.mu.Lock()
	defer ccc.mu.Unlock()
	return len(ccc.subConnToAddr)
}

// Close is called last.
func (ccc *lbCacheClientConn) Close() {
	ccc.mu.Lock()
	defer ccc.mu.Unlock()
	// Only cancel all existing timers. There's no need to shut down SubConns.
	for _, entry := range ccc.subConnCache {
		entry.cancel()
	}
}
