// Package rescache holds the resources that the management server has sent
// to this proxy.
package rescache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
)

// ErrStopped is returned once the cache has been stopped.
var ErrStopped = errors.New("rescache: stopped")

// Resource is one named piece of configuration.
type Resource struct {
	Name    string
	Version string
	Body    []byte
}

// Snapshot is a consistent set of resources. It is never changed.
type Snapshot struct {
	Serial    uint64
	Resources map[string]Resource
}

type change struct {
	upsert []Resource
	remove []string
	reply  chan error
}

// Cache can be read by any number of goroutines without locks. Changes are
// made by the goroutine that New starts.
type Cache struct {
	cur     atomic.Pointer[Snapshot]
	changes chan change
	stopped chan struct{}
}

// New returns an empty cache that takes changes until ctx ends.
func New(ctx context.Context) *Cache {
	c := &Cache{changes: make(chan change), stopped: make(chan struct{})}
	c.cur.Store(&Snapshot{Resources: map[string]Resource{}})
	go c.run(ctx)
	return c
}

// Current returns the latest snapshot.
func (c *Cache) Current() *Snapshot {
	return c.cur.Load()
}

// Get looks up a resource in the latest snapshot.
func (c *Cache) Get(name string) (Resource, bool) {
	r, ok := c.cur.Load().Resources[name]
	return r, ok
}

// Update carries out the upserts and removals as one step. When it returns
// nil the change is visible to all readers.
func (c *Cache) Update(ctx context.Context, upsert []Resource, remove []string) error {
	ch := change{upsert: upsert, remove: remove, reply: make(chan error, 1)}
	select {
	case c.changes <- ch:
	case <-c.stopped:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	// What the goroutine has accepted it also answers.
	return <-ch.reply
}

func (c *Cache) run(ctx context.Context) {
	defer close(c.stopped)
	for {
		select {
		case <-ctx.Done():
			return
		case ch := <-c.changes:
			ch.reply <- c.apply(ch)
		}
	}
}

// apply builds the next snapshot from the current one. A change with an
// unusable resource is refused as a whole.
func (c *Cache) apply(ch change) error {
	for _, r := range ch.upsert {
		if r.Name == "" || r.Version == "" {
			return fmt.Errorf("rescache: resource %q version %q: incomplete", r.Name, r.Version)
		}
	}
	if !c.affects(ch) {
		return nil
	}
	old := c.cur.Load()
	next := &Snapshot{Serial: old.Serial + 1, Resources: maps.Clone(old.Resources)}
	for _, name := range ch.remove {
		delete(next.Resources, name)
	}
	for _, r := range ch.upsert {
		next.Resources[r.Name] = r
	}
	c.cur.Store(next)
	return nil
}

// affects spares the readers a new serial when nothing would change.
func (c *Cache) affects(ch change) bool {
	for _, name := range ch.remove {
		if _, ok := c.Get(name); ok {
			return true
		}
	}
	for _, r := range ch.upsert {
		if have, ok := c.Get(r.Name); !ok || have.Version != r.Version {
			return true
		}
	}
	return false
}
