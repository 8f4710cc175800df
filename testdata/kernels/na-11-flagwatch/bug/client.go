// Package flags is the client side of the feature flag service.
package flags

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Flag is the state of one feature flag.
type Flag struct {
	Key     string `json:"key"`
	On      bool   `json:"on"`
	Variant string `json:"variant"`
	Version int64  `json:"version"`
}

// Client follows the flag stream of one environment.
type Client struct {
	mu       sync.RWMutex
	flags    map[string]Flag
	watchers map[string]map[chan Flag]struct{}
}

// NewClient returns a client that knows the given flags.
func NewClient(bootstrap ...Flag) *Client {
	c := &Client{
		flags:    make(map[string]Flag),
		watchers: make(map[string]map[chan Flag]struct{}),
	}
	for _, f := range bootstrap {
		c.flags[f.Key] = f
	}
	return c
}

// Follow reads updates from r, one JSON object a line, until ctx ends or the
// stream breaks.
func (c *Client) Follow(ctx context.Context, r io.Reader) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		var f Flag
		if err := json.Unmarshal(sc.Bytes(), &f); err != nil {
			return fmt.Errorf("flags: bad update: %w", err)
		}
		c.apply(f)
	}
	return sc.Err()
}

// apply installs an update unless it is older than what we have. A watcher
// that has not taken the last value yet gets the new one instead.
func (c *Client) apply(f Flag) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Version <= c.flags[f.Key].Version {
		return
	}
	c.flags[f.Key] = f
	for ch := range c.watchers[f.Key] {
		select {
		case <-ch:
		default:
		}
		ch <- f
	}
}

// Variation returns the state of a flag; unknown flags are off.
func (c *Client) Variation(key string) Flag {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.lookup(key)
}

func (c *Client) lookup(key string) Flag {
	if f, ok := c.flags[key]; ok {
		return f
	}
	return Flag{Key: key}
}

// Watch calls fn with the state of a flag, and again after every change, until
// ctx ends.
func (c *Client) Watch(ctx context.Context, key string, fn func(Flag)) {
	cur := c.Variation(key)
	ch := c.subscribe(key)
	defer c.unsubscribe(key, ch)
	fn(cur)
	for {
		select {
		case f := <-ch:
			fn(f)
		case <-ctx.Done():
			return
		}
	}
}

func (c *Client) subscribe(key string) chan Flag {
	ch := make(chan Flag, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	set, ok := c.watchers[key]
	if !ok {
		set = make(map[chan Flag]struct{})
		c.watchers[key] = set
	}
	set[ch] = struct{}{}
	return ch
}

func (c *Client) unsubscribe(key string, ch chan Flag) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watchers[key], ch)
	if len(c.watchers[key]) == 0 {
		delete(c.watchers, key)
	}
}

// Switch is a kill switch that a service asks on its hot path.
type Switch struct {
	mu sync.Mutex
	on bool
}

// NewSwitch follows the flag key until ctx ends.
func NewSwitch(ctx context.Context, c *Client, key string) *Switch {
	s := &Switch{on: c.Variation(key).On}
	go c.Watch(ctx, key, func(f Flag) {
		s.mu.Lock()
		s.on = f.On
		s.mu.Unlock()
	})
	return s
}

// Enabled reports whether the switch is on.
func (s *Switch) Enabled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on
}
