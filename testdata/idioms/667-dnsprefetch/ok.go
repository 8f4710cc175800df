// Package prefetch is a DNS cache that renews popular names before they expire.
package prefetch

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Exchanger asks a server.
type Exchanger interface {
	Exchange(ctx context.Context, name string) ([]netip.Addr, time.Duration, error)
}

type entry struct {
	addrs    []netip.Addr
	expires  time.Time
	renewAt  time.Time
	renewing atomic.Bool
}

func newEntry(addrs []netip.Addr, ttl time.Duration, now time.Time) *entry {
	return &entry{addrs: addrs, expires: now.Add(ttl), renewAt: now.Add(ttl * 3 / 4)}
}

// Cache answers from memory as long as it can.
type Cache struct {
	ex      Exchanger
	timeout time.Duration
	slots   chan struct{}
	entries sync.Map // name -> *entry
	dropped atomic.Int64
}

// New returns a cache that renews at most n names at a time.
func New(ex Exchanger, n int) *Cache {
	return &Cache{ex: ex, timeout: 5 * time.Second, slots: make(chan struct{}, n)}
}

// Add caches name, after having asked for it.
func (c *Cache) Add(ctx context.Context, name string) error {
	hole := new(entry)
	if _, loaded := c.entries.LoadOrStore(name, hole); loaded {
		return nil
	}
	addrs, ttl, err := c.ex.Exchange(ctx, name)
	if err != nil {
		c.entries.CompareAndDelete(name, hole)
		return fmt.Errorf("prefetch %s: %w", name, err)
	}
	c.entries.CompareAndSwap(name, hole, newEntry(addrs, ttl, time.Now()))
	return nil
}

// Lookup returns the addresses of a cached name.
func (c *Cache) Lookup(name string) ([]netip.Addr, bool) {
	v, ok := c.entries.Load(name)
	if !ok {
		return nil, false
	}
	e := v.(*entry)
	now := time.Now()
	if e.expires.IsZero() {
		return nil, false
	}
	if now.After(e.renewAt) {
		c.renew(name, e)
	}
	if now.After(e.expires) {
		return nil, false
	}
	return e.addrs, true
}

// renew replaces e in the background.
func (c *Cache) renew(name string, e *entry) {
	if e.renewing.Load() || !e.renewing.CompareAndSwap(false, true) {
		return
	}
	select {
	case c.slots <- struct{}{}:
	default:
		c.dropped.Add(1)
		e.renewing.Store(false)
		return
	}
	go func() {
		defer func() { <-c.slots }()
		ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
		defer cancel()
		addrs, ttl, err := c.ex.Exchange(ctx, name)
		if err != nil {
			slog.Debug("not renewed", "name", name, "err", err)
			e.renewing.Store(false)
			return
		}
		c.entries.CompareAndSwap(name, e, newEntry(addrs, ttl, time.Now()))
	}()
}

// Forget drops a name.
func (c *Cache) Forget(name string) { c.entries.Delete(name) }
