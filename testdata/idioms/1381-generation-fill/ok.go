package idiom1381

import (
	"context"
	"sync"
)

// Backend is the authoritative store.
type Backend interface {
	Get(ctx context.Context, key string) (string, error)
	Put(ctx context.Context, key, value string) error
}

type cachingProxy struct {
	b Backend

	mu      sync.Mutex
	values  map[string]string
	gen     uint64
	writers int
}

// New returns a proxy that never keeps a value from before a finished write.
func New(b Backend) *cachingProxy {
	return &cachingProxy{b: b, values: make(map[string]string)}
}

func (p *cachingProxy) lookup(key string) (v string, ok bool, gen uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok = p.values[key]
	return v, ok, p.gen
}

// fill stores what was read from the backend unless a write has begun since
// gen was taken or is still under way.
func (p *cachingProxy) fill(key, value string, gen uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gen != gen || p.writers > 0 {
		return
	}
	p.values[key] = value
}

func (p *cachingProxy) beginWrite(key string) {
	p.mu.Lock()
	p.gen++
	p.writers++
	delete(p.values, key)
	p.mu.Unlock()
}

func (p *cachingProxy) endWrite(key string) {
	p.mu.Lock()
	p.writers--
	p.gen++
	p.mu.Unlock()
}

// Range reads through the cache.
func (p *cachingProxy) Range(ctx context.Context, key string) (string, error) {
	v, ok, gen := p.lookup(key)
	if ok {
		return v, nil
	}
	v, err := p.b.Get(ctx, key)
	if err != nil {
		return "", err
	}
	p.fill(key, v, gen)
	return v, nil
}

// Put writes through.
func (p *cachingProxy) Put(ctx context.Context, key, value string) error {
	p.beginWrite(key)
	defer p.endWrite(key)
	return p.b.Put(ctx, key, value)
}
