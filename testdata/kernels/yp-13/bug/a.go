package a

import (
	"context"
	"log"
	"net/netip"
	"strings"
	"sync"
	"time"
)

type item[V any] struct {
	value   V
	expires time.Time
}

// Cache is a map with a time to live.
type Cache[K comparable, V any] struct {
	mu    sync.RWMutex
	items map[K]item[V]
}

func NewCache[K comparable, V any]() *Cache[K, V] {
	return &Cache[K, V]{items: make(map[K]item[V])}
}

func (c *Cache[K, V]) Get(k K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	it, ok := c.items[k]
	if !ok || time.Now().After(it.expires) {
		var zero V
		return zero, false
	}
	return it.value, true
}

func (c *Cache[K, V]) Put(k K, v V, ttl time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k] = item[V]{value: v, expires: time.Now().Add(ttl)}
}

// DropFunc removes the entries whose key matches.
func (c *Cache[K, V]) DropFunc(match func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.items {
		if match(k) {
			delete(c.items, k)
		}
	}
}

// Upstream asks the authoritative servers.
type Upstream interface {
	Lookup(ctx context.Context, host string) (addrs []netip.Addr, ttl time.Duration, err error)
}

// Resolver answers from its cache and falls back to the upstream. Zones
// announce their changes, so that answers with a long TTL need not go stale.
type Resolver struct {
	up    Upstream
	cache *Cache[string, []netip.Addr]
}

func NewResolver(up Upstream) *Resolver {
	return &Resolver{up: up, cache: NewCache[string, []netip.Addr]()}
}

// Resolve returns the addresses of host.
func (r *Resolver) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if addrs, ok := r.cache.Get(host); ok {
		return addrs, nil
	}
	addrs, ttl, err := r.up.Lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	r.cache.Put(host, addrs, ttl)
	return addrs, nil
}

// ZoneChanged forgets everything known about a zone.
func (r *Resolver) ZoneChanged(zone string) {
	zone = strings.TrimSuffix(strings.ToLower(zone), ".")
	r.cache.DropFunc(func(host string) bool {
		return host == zone || strings.HasSuffix(host, "."+zone)
	})
}

// Query is a question from a client; the answer goes to Reply.
type Query struct {
	Host  string
	Reply chan<- []netip.Addr
}

// Serve answers queries and follows the change notices of the zones.
func (r *Resolver) Serve(ctx context.Context, queries <-chan Query, notices <-chan string) {
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case zone := <-notices:
				r.ZoneChanged(zone)
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-queries:
			go r.answer(ctx, q)
		}
	}
}

func (r *Resolver) answer(ctx context.Context, q Query) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	addrs, err := r.Resolve(ctx, q.Host)
	if err != nil {
		log.Printf("resolve %s: %v", q.Host, err)
	}
	select {
	case q.Reply <- addrs:
	case <-ctx.Done():
	}
}
