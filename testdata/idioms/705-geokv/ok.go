// Package geokv reads from the nearest replica and writes to the primary.
package geokv

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrMoved is the answer of a region which is not primary any more.
var ErrMoved = errors.New("geokv: primary moved")

// Map is one version of the topology and never changes.
type Map struct {
	Version  uint64
	Primary  string
	Replicas []string
}

// Directory knows the newest topology.
type Directory interface {
	Fetch(ctx context.Context) (*Map, error)
}

// Wire talks to regions.
type Wire interface {
	Put(ctx context.Context, region, key string, val []byte, mapVersion uint64) (uint64, error)
	Get(ctx context.Context, region, key string, atLeast uint64) ([]byte, error)
}

// Client is a session of an application.
type Client struct {
	dir  Directory
	wire Wire
	home string

	topo       atomic.Pointer[Map]
	session    atomic.Uint64
	refreshing atomic.Bool

	mu  sync.RWMutex
	rtt map[string]time.Duration
}

// Dial fetches the topology and returns a client.
func Dial(ctx context.Context, home string, dir Directory, wire Wire) (*Client, error) {
	m, err := dir.Fetch(ctx)
	if err != nil {
		return nil, err
	}
	c := &Client{dir: dir, wire: wire, home: home, rtt: make(map[string]time.Duration)}
	c.topo.Store(m)
	return c, nil
}

// adopt installs m unless a newer one is there.
func (c *Client) adopt(m *Map) bool {
	for {
		cur := c.topo.Load()
		if cur.Version >= m.Version {
			return false
		}
		if c.topo.CompareAndSwap(cur, m) {
			return true
		}
	}
}

func (c *Client) refresh(ctx context.Context) error {
	m, err := c.dir.Fetch(ctx)
	if err != nil {
		return fmt.Errorf("geokv: refresh: %w", err)
	}
	c.adopt(m)
	return nil
}

// refreshSoon refreshes in the background, once at a time.
func (c *Client) refreshSoon() {
	if !c.refreshing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer c.refreshing.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = c.refresh(ctx)
	}()
}

func (c *Client) saw(version uint64) {
	for cur := c.session.Load(); version > cur; cur = c.session.Load() {
		if c.session.CompareAndSwap(cur, version) {
			return
		}
	}
}

// Put writes a key.
func (c *Client) Put(ctx context.Context, key string, val []byte) error {
	for range 3 {
		m := c.topo.Load()
		v, err := c.wire.Put(ctx, m.Primary, key, val, m.Version)
		if err == nil {
			c.saw(v)
			return nil
		}
		if !errors.Is(err, ErrMoved) {
			return err
		}
		if err := c.refresh(ctx); err != nil {
			return err
		}
	}
	return ErrMoved
}

func (c *Client) distance(region string) time.Duration {
	if region == c.home {
		return 0
	}
	c.mu.RLock()
	d, ok := c.rtt[region]
	c.mu.RUnlock()
	if !ok {
		return time.Second
	}
	return d
}

func (c *Client) measured(region string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, ok := c.rtt[region]
	if !ok {
		c.rtt[region] = d
		return
	}
	c.rtt[region] = (7*old + d) / 8
}

func (c *Client) nearest(m *Map) string {
	best := m.Primary
	for _, r := range m.Replicas {
		if c.distance(r) < c.distance(best) {
			best = r
		}
	}
	return best
}

// Get reads a key which is at least as new as this session's writes.
func (c *Client) Get(ctx context.Context, key string) ([]byte, error) {
	m := c.topo.Load()
	region := c.nearest(m)
	begin := time.Now()
	val, err := c.wire.Get(ctx, region, key, c.session.Load())
	if err != nil {
		c.refreshSoon()
		if region == m.Primary {
			return nil, err
		}
		return c.wire.Get(ctx, m.Primary, key, c.session.Load())
	}
	c.measured(region, time.Since(begin))
	return val, nil
}
