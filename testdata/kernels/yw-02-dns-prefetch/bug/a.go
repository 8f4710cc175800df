// Package a is a caching stub resolver which renews popular names early.
package a

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"
)

const (
	popular        = 8
	prefetchWindow = 10 * time.Second
	upstreamLimit  = 4 * time.Second
)

// Upstream resolves one name.
type Upstream interface {
	Resolve(ctx context.Context, name string) (addrs []netip.Addr, ttl time.Duration, err error)
}

type entry struct {
	addrs      []netip.Addr
	expires    time.Time
	hits       int
	refreshing bool
}

// Resolver answers from its cache and asks the upstream otherwise.
type Resolver struct {
	up  Upstream
	log *slog.Logger

	mu      sync.RWMutex
	entries map[string]entry
}

// New returns a resolver and starts its sweeper, which ends with ctx.
func New(ctx context.Context, up Upstream, log *slog.Logger) *Resolver {
	r := &Resolver{up: up, log: log, entries: make(map[string]entry)}
	go r.sweep(ctx, time.Minute)
	return r
}

// Lookup returns the addresses of name.
func (r *Resolver) Lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	if addrs, ok := r.cached(name); ok {
		return addrs, nil
	}
	addrs, ttl, err := r.up.Resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if cur, ok := r.entries[name]; ok && now.Before(cur.expires) {
		return cur.addrs, nil
	}
	r.entries[name] = entry{addrs: addrs, expires: now.Add(ttl), hits: 1}
	return addrs, nil
}

func (r *Resolver) cached(name string) ([]netip.Addr, bool) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[name]
	if !ok || !now.Before(e.expires) {
		return nil, false
	}
	e.hits++
	if !e.refreshing && e.hits >= popular && e.expires.Sub(now) < prefetchWindow {
		e.refreshing = true
		go r.prefetch(name)
	}
	r.entries[name] = e
	return e.addrs, true
}

// prefetch renews a name before it expires.
func (r *Resolver) prefetch(name string) {
	r.mu.RLock()
	e, ok := r.entries[name]
	r.mu.RUnlock()
	if !ok {
		return
	}

	ctx, cancel := context.WithTimeout(context.Background(), upstreamLimit)
	defer cancel()
	addrs, ttl, err := r.up.Resolve(ctx, name)
	if err != nil {
		r.log.Warn("prefetch failed", "name", name, "err", err)
	} else {
		e.addrs = addrs
		e.expires = time.Now().Add(ttl)
	}
	e.refreshing = false

	r.mu.Lock()
	r.entries[name] = e
	r.mu.Unlock()
}

// Hits reports how often name was answered from the cache.
func (r *Resolver) Hits(name string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.entries[name].hits
}

func (r *Resolver) sweep(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			r.mu.Lock()
			for name, e := range r.entries {
				if now.After(e.expires) {
					delete(r.entries, name)
				}
			}
			r.mu.Unlock()
		}
	}
}
