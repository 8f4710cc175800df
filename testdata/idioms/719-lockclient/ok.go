// Package lockclient takes locks of a remote service with leases.
package lockclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Errors of the client.
var (
	ErrExpired = errors.New("lockclient: lease expired")
	ErrNotHeld = errors.New("lockclient: not held")
)

// Lease is what the service granted. Extensions keep the token.
type Lease struct {
	Key   string
	Token uint64
	Until time.Time
}

// Remote is the lock service.
type Remote interface {
	Grant(ctx context.Context, key string, ttl time.Duration) (Lease, error)
	Extend(ctx context.Context, l Lease, ttl time.Duration) (Lease, error)
	Revoke(ctx context.Context, l Lease) error
}

type holding struct {
	mu    sync.Mutex
	lease Lease

	cancel  context.CancelFunc
	renewed chan struct{}
	ended   chan struct{}
	once    sync.Once
}

func (h *holding) get() Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lease
}

func (h *holding) set(l Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = l
}

func (h *holding) end() { h.once.Do(func() { close(h.ended) }) }

// Client holds at most one lease of a key; other callers of this process wait.
type Client struct {
	remote Remote
	ttl    time.Duration

	mu    sync.Mutex
	slots map[string]chan struct{}
	held  map[string]*holding
}

// New returns a client.
func New(r Remote, ttl time.Duration) *Client {
	return &Client{remote: r, ttl: ttl, slots: make(map[string]chan struct{}), held: make(map[string]*holding)}
}

// slot returns the semaphore of a key; they are kept for ever.
func (c *Client) slot(key string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.slots[key]
	if !ok {
		s = make(chan struct{}, 1)
		c.slots[key] = s
	}
	return s
}

// Lock waits for a key. The channel is closed when the lease ends.
func (c *Client) Lock(ctx context.Context, key string) (token uint64, ended <-chan struct{}, err error) {
	slot := c.slot(key)
	select {
	case slot <- struct{}{}:
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
	l, err := c.remote.Grant(ctx, key, c.ttl)
	if err != nil {
		<-slot
		return 0, nil, fmt.Errorf("lockclient: grant %s: %w", key, err)
	}
	bg, cancel := context.WithCancel(context.Background())
	h := &holding{lease: l, cancel: cancel, renewed: make(chan struct{}), ended: make(chan struct{})}
	c.mu.Lock()
	c.held[key] = h
	c.mu.Unlock()
	go c.renew(bg, h)
	return l.Token, h.ended, nil
}

func (c *Client) renew(ctx context.Context, h *holding) {
	defer close(h.renewed)
	t := time.NewTicker(c.ttl / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		cur := h.get()
		next, err := c.remote.Extend(ctx, cur, c.ttl)
		switch {
		case err == nil:
			h.set(next)
		case errors.Is(err, ErrExpired) || time.Now().After(cur.Until):
			h.end()
			return
		}
	}
}

// take removes the holding of a key.
func (c *Client) take(key string, token uint64) *holding {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.held[key]
	if !ok || h.get().Token != token {
		return nil
	}
	delete(c.held, key)
	return h
}

// Unlock ends a lease, also one which expired.
func (c *Client) Unlock(ctx context.Context, key string, token uint64) error {
	h := c.take(key, token)
	if h == nil {
		return fmt.Errorf("%w: %s", ErrNotHeld, key)
	}
	h.cancel()
	<-h.renewed
	l := h.get()
	h.end()
	err := c.remote.Revoke(ctx, l)
	<-c.slot(key)
	return err
}

// Fence returns the token of a key if its lease has some time left; servers compare tokens anyway.
func (c *Client) Fence(key string) (uint64, bool) {
	c.mu.Lock()
	h := c.held[key]
	c.mu.Unlock()
	if h == nil {
		return 0, false
	}
	l := h.get()
	return l.Token, time.Until(l.Until) > 0
}

// Keys lists what is held, for debugging.
func (c *Client) Keys() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := make([]string, 0, len(c.held))
	for k := range c.held {
		keys = append(keys, k)
	}
	return keys
}

// Close unlocks everything.
func (c *Client) Close(ctx context.Context) error {
	var errs []error
	for _, k := range c.Keys() {
		token, _ := c.Fence(k)
		if err := c.Unlock(ctx, k, token); err != nil && !errors.Is(err, ErrNotHeld) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
