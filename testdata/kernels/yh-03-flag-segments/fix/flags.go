// Package flags is a feature flag client: it polls a relay for the flags of
// one environment and evaluates them locally.
package flags

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Rule serves a variation to the members of a segment, or to everybody else.
// Segment is a position in the segment list of the payload it came with.
type Rule struct {
	Segment int
	Exclude bool
	Serve   string
}

// Flag is one feature flag.
type Flag struct {
	Key     string
	Rules   []Rule
	Default string
}

// Segment is a named group of users.
type Segment struct {
	Name    string
	Members map[string]bool
}

// Payload is everything the relay sends at a time. It is not modified after
// it has been decoded.
type Payload struct {
	Version  int64
	Flags    map[string]Flag
	Segments []Segment
}

// Store keeps the newest payload.
type Store interface {
	Replace(p *Payload) bool
	Current() *Payload
}

type memStore struct {
	mu sync.RWMutex
	p  *Payload
}

// NewMemStore returns a store that lives in memory.
func NewMemStore() Store { return &memStore{p: &Payload{}} }

func (s *memStore) Replace(p *Payload) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Version <= s.p.Version {
		return false
	}
	s.p = p
	return true
}

func (s *memStore) Current() *Payload {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.p
}

func (p *Payload) segment(i int) (Segment, bool) {
	if i < 0 || i >= len(p.Segments) {
		return Segment{}, false
	}
	return p.Segments[i], true
}

// Source fetches payloads from the relay.
type Source interface {
	Fetch(ctx context.Context) (*Payload, error)
}

// Client evaluates flags. It is safe for concurrent use.
type Client struct {
	store  Store
	source Source
	cancel context.CancelFunc
	done   chan struct{}
}

// NewClient starts polling the source at the given interval.
func NewClient(store Store, source Source, every time.Duration) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{store: store, source: source, cancel: cancel, done: make(chan struct{})}
	go c.poll(ctx, every)
	return c
}

func (c *Client) poll(ctx context.Context, every time.Duration) {
	defer close(c.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		p, err := c.source.Fetch(ctx)
		switch {
		case err != nil:
			slog.Warn("flags: poll failed", "err", err)
		case c.store.Replace(p):
			slog.Debug("flags: updated", "version", p.Version)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Variation returns the variation of a flag for a user, or fallback if the
// flag does not exist.
func (c *Client) Variation(key, user, fallback string) string {
	p := c.store.Current()
	f, ok := p.Flags[key]
	if !ok {
		return fallback
	}
	for _, r := range f.Rules {
		if matches(p, r, user) {
			return r.Serve
		}
	}
	return f.Default
}

func matches(p *Payload, r Rule, user string) bool {
	seg, ok := p.segment(r.Segment)
	member := ok && seg.Members[user]
	return member != r.Exclude
}

// Close stops polling.
func (c *Client) Close() {
	c.cancel()
	<-c.done
}
