// Package schemacache keeps the newest schema descriptor of every topic in
// memory. Descriptors come from the schema service on demand and from its
// change feed.
package schemacache

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
)

// ErrDeleted is returned for a topic whose schema was deleted.
var ErrDeleted = errors.New("schemacache: schema deleted")

// Descriptor is one version of the schema of a topic. The service numbers the
// versions of a topic 1, 2, 3, ...; a deletion is a version of its own.
type Descriptor struct {
	Topic   string
	Version uint64
	Deleted bool
	Fields  []string
}

// Service is the schema service.
type Service interface {
	// Fetch returns the newest version.
	Fetch(ctx context.Context, topic string) (Descriptor, error)
	// Next returns the next change of any topic.
	Next(ctx context.Context) (Descriptor, error)
}

// Cache is a cache of descriptors. It is safe for concurrent use.
type Cache struct {
	svc Service

	mu    sync.RWMutex
	descs map[string]Descriptor
}

// New returns an empty cache.
func New(svc Service) *Cache {
	return &Cache{svc: svc, descs: make(map[string]Descriptor)}
}

// lookup returns what is known about topic.
func (c *Cache) lookup(topic string) (Descriptor, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	d, ok := c.descs[topic]
	return d, ok
}

// merge takes note of d and returns the newest known descriptor of its topic.
// Topics stay in the cache, deleted ones too.
func (c *Cache) merge(d Descriptor) Descriptor {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.descs[d.Topic]; ok && have.Version >= d.Version {
		return have
	}
	c.descs[d.Topic] = d
	return d
}

// Get returns the descriptor of topic.
func (c *Cache) Get(ctx context.Context, topic string) (Descriptor, error) {
	d, ok := c.lookup(topic)
	if !ok {
		fetched, err := c.svc.Fetch(ctx, topic)
		if err != nil {
			return Descriptor{}, fmt.Errorf("schema of %s: %w", topic, err)
		}
		d = c.merge(fetched)
	}
	if d.Deleted {
		return Descriptor{}, ErrDeleted
	}
	return d, nil
}

// Refresh asks the service again, for callers that met an unknown field.
func (c *Cache) Refresh(ctx context.Context, topic string) (Descriptor, error) {
	fetched, err := c.svc.Fetch(ctx, topic)
	if err != nil {
		return Descriptor{}, fmt.Errorf("schema of %s: %w", topic, err)
	}
	d := c.merge(fetched)
	if d.Deleted {
		return Descriptor{}, ErrDeleted
	}
	return d, nil
}

// Follow reads the change feed until ctx ends.
func (c *Cache) Follow(ctx context.Context) error {
	for {
		d, err := c.svc.Next(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if got := c.merge(d); got.Version != d.Version {
			log.Printf("schema of %s: version %d is known, ignoring %d", d.Topic, got.Version, d.Version)
		}
	}
}

// Topics returns the number of topics in the cache.
func (c *Cache) Topics() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.descs)
}
