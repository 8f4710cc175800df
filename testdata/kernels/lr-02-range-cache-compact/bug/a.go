package lr02

import (
	"context"
	"errors"
	"sync"
)

var errNotExist = errors.New("not exist")

type rangeRequest struct {
	key          string
	serializable bool
}

type rangeResponse struct {
	value string
	rev   int64
}

// KV is the connection to the backend.
type KV interface {
	Get(ctx context.Context, key string) (*rangeResponse, error)
	Put(ctx context.Context, key, value string) error
	Delete(ctx context.Context, key string) error
}

type cache struct {
	mu  sync.RWMutex
	lru map[string]*rangeResponse
	max int
}

func newCache(max int) *cache {
	return &cache{lru: make(map[string]*rangeResponse), max: max}
}

func (c *cache) Add(key string, resp *rangeResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lru) >= c.max {
		for k := range c.lru {
			delete(c.lru, k)
			break
		}
	}
	c.lru[key] = resp
}

func (c *cache) Get(key string) (*rangeResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if resp, ok := c.lru[key]; ok {
		return resp, nil
	}
	return nil, errNotExist
}

func (c *cache) Invalidate(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.lru, key)
}

func (c *cache) Size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.lru)
}

type kvProxy struct {
	kv    KV
	cache *cache

	gaugeMu   sync.Mutex
	cacheKeys int
}

// NewKvProxy returns a caching proxy in front of kv.
func NewKvProxy(kv KV) *kvProxy {
	return &kvProxy{kv: kv, cache: newCache(2048)}
}

func (p *kvProxy) setCacheKeys(n int) {
	p.gaugeMu.Lock()
	p.cacheKeys = n
	p.gaugeMu.Unlock()
}

func (p *kvProxy) Range(ctx context.Context, r *rangeRequest) (*rangeResponse, error) {
	if r.serializable {
		resp, err := p.cache.Get(r.key)
		if err == nil {
			return resp, nil
		}
	}

	resp, err := p.kv.Get(ctx, r.key)
	if err != nil {
		return nil, err
	}

	// cache linearizable as serializable
	p.cache.Add(r.key, resp)
	p.setCacheKeys(p.cache.Size())
	return resp, nil
}

func (p *kvProxy) Put(ctx context.Context, key, value string) error {
	p.cache.Invalidate(key)
	p.setCacheKeys(p.cache.Size())

	err := p.kv.Put(ctx, key, value)
	return err
}

func (p *kvProxy) DeleteRange(ctx context.Context, key string) error {
	p.cache.Invalidate(key)
	p.setCacheKeys(p.cache.Size())

	err := p.kv.Delete(ctx, key)
	return err
}
