package geokv

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync/atomic"
)

// ErrStaleEpoch is the answer of a region which knows a newer epoch.
var ErrStaleEpoch = errors.New("geokv: stale epoch")

// Write is what goes over the wire.
type Write struct {
	Region string
	Range  uint16
	Epoch  uint64
	Key    string
	Value  []byte
}

// Transport talks to regions.
type Transport interface {
	Apply(ctx context.Context, w Write) (version uint64, err error)
	Read(ctx context.Context, region, key string, atLeast uint64) ([]byte, error)
}

// Announcement is one message of the membership stream.
type Announcement struct {
	Range    uint16
	Primary  string
	Replicas []string
	Epoch    uint64
}

// Client reads and writes keys.
type Client struct {
	home   string
	tr     Transport
	topo   *topology
	ranges uint16
	seen   atomic.Uint64
}

// NewClient returns a client which lives in region home.
func NewClient(home string, ranges uint16, tr Transport) *Client {
	return &Client{home: home, tr: tr, ranges: ranges, topo: &topology{byRange: make(map[uint16]placement)}}
}

// Follow applies announcements until the stream ends.
func (c *Client) Follow(stream <-chan Announcement) {
	for a := range stream {
		c.topo.failover(a.Range, a.Primary, a.Replicas, a.Epoch)
	}
}

func (c *Client) rangeOf(key string) uint16 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return uint16(h.Sum32() % uint32(c.ranges))
}

func (c *Client) stamp(w *Write) error {
	region, epoch, ok := c.topo.Route(w.Range)
	if !ok {
		return ErrNoPrimary
	}
	w.Region = region
	w.Epoch = epoch
	return nil
}

// Put writes a key through the primary of its range.
func (c *Client) Put(ctx context.Context, key string, value []byte) error {
	w := Write{Range: c.rangeOf(key), Key: key, Value: value}
	for attempt := 0; attempt < 3; attempt++ {
		if err := c.stamp(&w); err != nil {
			return err
		}
		version, err := c.tr.Apply(ctx, w)
		if errors.Is(err, ErrStaleEpoch) {
			continue
		}
		if err != nil {
			return fmt.Errorf("geokv: put %q in %s: %w", key, w.Region, err)
		}
		c.observe(version)
		return nil
	}
	return ErrStaleEpoch
}

// Get reads a key, at least as new as what this client wrote.
func (c *Client) Get(ctx context.Context, key string) ([]byte, error) {
	region, ok := c.topo.Nearest(c.rangeOf(key), c.home)
	if !ok {
		return nil, ErrNoPrimary
	}
	return c.tr.Read(ctx, region, key, c.seen.Load())
}

func (c *Client) observe(version uint64) {
	for {
		cur := c.seen.Load()
		if version <= cur || c.seen.CompareAndSwap(cur, version) {
			return
		}
	}
}

// Writable reports whether key can be written at the moment; it is for readiness probes.
func (c *Client) Writable(key string) bool {
	_, ok := c.topo.Primary(c.rangeOf(key))
	return ok
}

// EpochOf returns the epoch of the range of a key, for debugging.
func (c *Client) EpochOf(key string) uint64 {
	return c.topo.Epoch(c.rangeOf(key))
}
