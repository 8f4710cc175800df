// Package resolver is a caching stub resolver with a bounded LRU.
package resolver

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

var ErrNoAnswer = errors.New("resolver: empty answer")

type Answer struct {
	Addrs []netip.Addr
	TTL   time.Duration
}

// Upstream asks the configured name servers.
type Upstream interface {
	Query(ctx context.Context, name string) (Answer, error)
}

type entry struct {
	name    string
	addrs   []netip.Addr
	expires time.Time
}

type cache struct {
	mu    sync.Mutex
	max   int
	lru   *list.List
	byKey map[string]*list.Element
	epoch uint64 // raised by each flush
	hits  uint64
	miss  uint64
}

func newCache(max int) *cache {
	return &cache{max: max, lru: list.New(), byKey: make(map[string]*list.Element)}
}

func (c *cache) get(name string, now time.Time) ([]netip.Addr, uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[name]
	if ok && now.Before(el.Value.(*entry).expires) {
		c.lru.MoveToFront(el)
		c.hits++
		return el.Value.(*entry).addrs, c.epoch, true
	}
	c.miss++
	return nil, c.epoch, false
}

func (c *cache) put(e *entry, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return // flushed while the answer was on its way
	}
	if el, ok := c.byKey[e.name]; ok {
		el.Value = e
		c.lru.MoveToFront(el)
		return
	}
	c.byKey[e.name] = c.lru.PushFront(e)
	for c.lru.Len() > c.max {
		c.drop(c.lru.Back())
	}
}

// drop needs mu.
func (c *cache) drop(el *list.Element) {
	c.lru.Remove(el)
	delete(c.byKey, el.Value.(*entry).name)
}

func (c *cache) dropZone(zone string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for name, el := range c.byKey {
		if name == zone || strings.HasSuffix(name, "."+zone) {
			c.drop(el)
			n++
		}
	}
	return n
}

type Resolver struct {
	up     Upstream
	cache  *cache
	minTTL time.Duration
}

func New(up Upstream, size int) *Resolver {
	return &Resolver{up: up, cache: newCache(size), minTTL: 5 * time.Second}
}

func canonical(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// Lookup answers from the cache or asks the upstream.
func (r *Resolver) Lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	name = canonical(name)
	addrs, epoch, ok := r.cache.get(name, time.Now())
	if ok {
		return addrs, nil
	}
	ans, err := r.up.Query(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", name, err)
	}
	if len(ans.Addrs) == 0 {
		return nil, ErrNoAnswer
	}
	r.cache.put(&entry{
		name:    name,
		addrs:   ans.Addrs,
		expires: time.Now().Add(max(ans.TTL, r.minTTL)),
	}, epoch)
	return ans.Addrs, nil
}

// FlushZone forgets everything below zone. The provisioning system calls it after a
// zone was changed; once it has returned no old record is served any more.
func (r *Resolver) FlushZone(zone string) int {
	return r.cache.dropZone(canonical(zone))
}

func (r *Resolver) ServeFlush(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	zone := req.FormValue("zone")
	if zone == "" {
		http.Error(w, "zone missing", http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%d records dropped\n", r.FlushZone(zone))
}
