package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var ErrUnknownBlob = errors.New("unknown blob")

// Backend holds the bytes.
type Backend interface {
	Write(ctx context.Context, digest string, data []byte) error
	Delete(ctx context.Context, digest string) error
}

type blob struct {
	refs      int
	size      int64
	idleSince time.Time
}

// Collector counts the references of blobs and removes the unreferenced ones.
type Collector struct {
	backend Backend
	grace   time.Duration

	mu    sync.Mutex
	blobs map[string]*blob
	freed int64
}

func NewCollector(b Backend, grace time.Duration) *Collector {
	return &Collector{backend: b, grace: grace, blobs: make(map[string]*blob)}
}

// Put uploads a blob, unless it is there, and takes a reference.
func (c *Collector) Put(ctx context.Context, digest string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.blobs[digest]; ok {
		b.refs++
		return nil
	}
	if err := c.backend.Write(ctx, digest, data); err != nil {
		return err
	}
	c.blobs[digest] = &blob{refs: 1, size: int64(len(data))}
	return nil
}

// Link adds a reference, e.g. when a new manifest names a known layer.
func (c *Collector) Link(digest string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.blobs[digest]
	if !ok {
		return ErrUnknownBlob
	}
	b.refs++
	return nil
}

// Unlink drops a reference.
func (c *Collector) Unlink(digest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.blobs[digest]; ok && b.refs > 0 {
		if b.refs--; b.refs == 0 {
			b.idleSince = time.Now()
		}
	}
}

func (c *Collector) garbage(now time.Time) map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make(map[string]int64)
	for d, b := range c.blobs {
		if b.refs == 0 && now.Sub(b.idleSince) >= c.grace {
			found[d] = b.size
		}
	}
	return found
}

// Sweep removes what nobody refers to any more.
func (c *Collector) Sweep(ctx context.Context) error {
	for digest, size := range c.garbage(time.Now()) {
		if err := c.backend.Delete(ctx, digest); err != nil {
			return err
		}
		c.mu.Lock()
		delete(c.blobs, digest)
		c.freed += size
		c.mu.Unlock()
	}
	return nil
}

// Run sweeps periodically.
func (c *Collector) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.Sweep(ctx); err != nil {
				log.Printf("sweep: %v", err)
			}
		}
	}
}
