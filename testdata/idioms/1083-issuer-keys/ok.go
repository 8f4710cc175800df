// Correct: Get finds nothing, gives up the lock to fetch, and stores in a second
// critical section. But the first one puts a call in the table in the same step
// as it finds nothing, so that the others wait for it instead of fetching too;
// and the result goes into the cache only while that very call is still in the
// table, which it is not after Invalidate or when its place was taken.
package issuerkeys

import (
	"context"
	"sync"
	"time"
)

type KeySet struct {
	Keys    map[string][]byte
	Fetched time.Time
}

type call struct {
	done chan struct{}
	set  *KeySet
	err  error
}

// Cache keeps the signing keys of token issuers.
type Cache struct {
	fetch  func(issuer string) (*KeySet, error)
	maxAge time.Duration

	mu    sync.Mutex
	sets  map[string]*KeySet
	calls map[string]*call
}

func New(fetch func(string) (*KeySet, error), maxAge time.Duration) *Cache {
	return &Cache{
		fetch:  fetch,
		maxAge: maxAge,
		sets:   make(map[string]*KeySet),
		calls:  make(map[string]*call),
	}
}

// Get returns the keys of an issuer, which are fetched if there are none or
// they are too old.
func (c *Cache) Get(ctx context.Context, issuer string) (*KeySet, error) {
	c.mu.Lock()
	if s, ok := c.sets[issuer]; ok && time.Since(s.Fetched) < c.maxAge {
		c.mu.Unlock()
		return s, nil
	}
	cl, ok := c.calls[issuer]
	if !ok {
		cl = &call{done: make(chan struct{})}
		c.calls[issuer] = cl
		go c.run(issuer, cl)
	}
	c.mu.Unlock()

	select {
	case <-cl.done:
		return cl.set, cl.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Cache) run(issuer string, cl *call) {
	set, err := c.fetch(issuer)
	if err == nil {
		set.Fetched = time.Now()
	}
	cl.set, cl.err = set, err

	c.mu.Lock()
	if c.calls[issuer] == cl {
		delete(c.calls, issuer)
		if err == nil {
			c.sets[issuer] = set
		}
	}
	c.mu.Unlock()
	close(cl.done)
}

// Invalidate drops the keys of an issuer; a fetch under way serves those who
// wait for it already, and no one else.
func (c *Cache) Invalidate(issuer string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sets, issuer)
	delete(c.calls, issuer)
}

// Key returns one key of an issuer.
func (c *Cache) Key(ctx context.Context, issuer, kid string) ([]byte, bool, error) {
	s, err := c.Get(ctx, issuer)
	if err != nil {
		return nil, false, err
	}
	k, ok := s.Keys[kid]
	return k, ok, nil
}
