// Package iplimit limits the rate of requests per client address.
package iplimit

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// bucket is the token bucket of one address.
type bucket struct {
	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// take refills the bucket and takes a token if there is one.
func (b *bucket) take(now time.Time, rate, burst float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if d := now.Sub(b.last); d > 0 {
		b.tokens = min(burst, b.tokens+d.Seconds()*rate)
		b.last = now
	}
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// full reports whether the bucket has refilled, so that it is as good as new.
func (b *bucket) full(now time.Time, rate, burst float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens+now.Sub(b.last).Seconds()*rate >= burst
}

// Limiter is safe for concurrent use.
type Limiter struct {
	rate, burst float64
	now         func() time.Time

	// mu guards the map. A bucket is used only with mu held, for reading at
	// least; buckets are added and removed with mu held for writing.
	mu      sync.RWMutex
	buckets map[netip.Addr]*bucket
}

// New returns a limiter that allows rate requests per second and bursts of burst.
func New(rate, burst float64) *Limiter {
	return &Limiter{rate: rate, burst: burst, now: time.Now, buckets: make(map[netip.Addr]*bucket)}
}

// Allow reports whether a request from addr may go ahead.
func (l *Limiter) Allow(addr netip.Addr) bool {
	addr = addr.Unmap()
	if ok, known := l.tryKnown(addr); known {
		return ok
	}
	return l.takeNew(addr)
}

// tryKnown takes a token from the bucket of an address that has one.
func (l *Limiter) tryKnown(addr netip.Addr) (ok, known bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	b, known := l.buckets[addr]
	if !known {
		return false, false
	}
	return b.take(l.now(), l.rate, l.burst), true
}

// takeNew gives an address a bucket and takes a token from it.
func (l *Limiter) takeNew(addr netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	b, ok := l.buckets[addr]
	if !ok {
		b = &bucket{tokens: l.burst, last: now}
		l.buckets[addr] = b
	}
	return b.take(now, l.rate, l.burst)
}

// idle lists the addresses whose buckets have refilled.
func (l *Limiter) idle(now time.Time) []netip.Addr {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []netip.Addr
	for a, b := range l.buckets {
		if b.full(now, l.rate, l.burst) {
			out = append(out, a)
		}
	}
	return out
}

// remove deletes the bucket of an address that makes no use of it.
func (l *Limiter) remove(a netip.Addr, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[a]
	if !ok || !b.full(now, l.rate, l.burst) {
		return false
	}
	delete(l.buckets, a)
	return true
}

// Sweep forgets addresses that have not been seen for a while. It holds the lock
// for one address at a time, so that requests are not held up.
func (l *Limiter) Sweep() (removed int) {
	now := l.now()
	for _, a := range l.idle(now) {
		if l.remove(a, now) {
			removed++
		}
	}
	return removed
}

// Run sweeps at every interval until ctx ends.
func (l *Limiter) Run(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			l.Sweep()
		}
	}
}

// Len returns the number of addresses being tracked.
func (l *Limiter) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.buckets)
}
