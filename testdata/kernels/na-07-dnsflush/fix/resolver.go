// Package resolver is a caching stub resolver.
package resolver

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// ErrNoAnswer means that upstream knows the name but has no address for it.
var ErrNoAnswer = errors.New("resolver: no answer")

// Upstream asks a recursive server.
type Upstream interface {
	Exchange(ctx context.Context, name string) ([]netip.Addr, time.Duration, error)
}

type answer struct {
	addrs   []netip.Addr
	expires time.Time
}

// Option changes a resolver.
type Option func(*Resolver)

// WithTTLBounds keeps answers for at least lo and at most hi.
func WithTTLBounds(lo, hi time.Duration) Option {
	return func(r *Resolver) { r.minTTL, r.maxTTL = lo, hi }
}

// Resolver answers from its cache or from upstream.
type Resolver struct {
	up     Upstream
	minTTL time.Duration
	maxTTL time.Duration

	mu      sync.RWMutex
	cache   map[string]answer
	flushes uint64
}

// New returns a resolver in front of up.
func New(up Upstream, opts ...Option) *Resolver {
	r := &Resolver{up: up, minTTL: time.Second, maxTTL: time.Hour, cache: make(map[string]answer)}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Resolve returns the addresses of name.
func (r *Resolver) Resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	name = canonical(name)
	r.mu.RLock()
	a, ok := r.cache[name]
	seen := r.flushes
	r.mu.RUnlock()
	if ok && time.Now().Before(a.expires) {
		return a.addrs, nil
	}
	return r.exchange(ctx, name, seen)
}

func (r *Resolver) exchange(ctx context.Context, name string, seen uint64) ([]netip.Addr, error) {
	addrs, ttl, err := r.up.Exchange(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, ErrNoAnswer
	}
	ttl = min(max(ttl, r.minTTL), r.maxTTL)
	r.insert(name, answer{addrs: addrs, expires: time.Now().Add(ttl)}, seen)
	return addrs, nil
}

func (r *Resolver) insert(name string, a answer, seen uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flushes == seen {
		r.cache[name] = a
	}
}

// Flush forgets all names in zone. The zone's owner calls it, after a change
// has reached all upstream servers.
func (r *Resolver) Flush(zone string) int {
	zone = canonical(zone)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flushes++
	n := 0
	for name := range r.cache {
		if name == zone || strings.HasSuffix(name, "."+zone) {
			delete(r.cache, name)
			n++
		}
	}
	return n
}

// Janitor drops expired answers until ctx ends.
func (r *Resolver) Janitor(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			r.mu.Lock()
			for name, a := range r.cache {
				if !now.Before(a.expires) {
					delete(r.cache, name)
				}
			}
			r.mu.Unlock()
		}
	}
}

func canonical(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "."))
}
