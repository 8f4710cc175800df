// Package volumes attaches network volumes to nodes.
package volumes

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Errors of the controller.
var (
	ErrState    = errors.New("volumes: wrong state")
	ErrCapacity = errors.New("volumes: node has no free slot")
)

// Phase of a volume.
type Phase string

// The phases.
const (
	Missing   Phase = ""
	Available Phase = "available"
	Attached  Phase = "attached"
)

type record struct {
	phase Phase
	node  string
	gen   int
}

// Driver talks to the storage.
type Driver interface {
	Create(ctx context.Context, id string) error
	Map(ctx context.Context, id, node string) error
	Unmap(ctx context.Context, id, node string) error
	Erase(ctx context.Context, id string) error
}

// Controller serves the API.
type Controller struct {
	drv   Driver
	slots int

	opsMu sync.Mutex
	ops   map[string]*sync.Mutex

	mu    sync.RWMutex
	recs  map[string]record
	usage map[string]int
}

// NewController returns a controller for nodes with the given number of slots.
func NewController(drv Driver, slots int) *Controller {
	return &Controller{drv: drv, slots: slots, ops: make(map[string]*sync.Mutex), recs: make(map[string]record), usage: make(map[string]int)}
}

func (c *Controller) op(id string) *sync.Mutex {
	c.opsMu.Lock()
	defer c.opsMu.Unlock()
	m, ok := c.ops[id]
	if !ok {
		m = new(sync.Mutex)
		c.ops[id] = m
	}
	return m
}

func (c *Controller) exclusive(id string, fn func() error) error {
	m := c.op(id)
	m.Lock()
	defer m.Unlock()
	return fn()
}

func (c *Controller) get(id string) record {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.recs[id]
}

func (c *Controller) put(id string, r record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.gen++
	c.recs[id] = r
}

func (c *Controller) takeSlot(node string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.usage[node] >= c.slots {
		return false
	}
	c.usage[node]++
	return true
}

func (c *Controller) freeSlot(node string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.usage[node]--; c.usage[node] == 0 {
		delete(c.usage, node)
	}
}

// Create makes a volume; it is fine when there is one already.
func (c *Controller) Create(ctx context.Context, id string) error {
	return c.exclusive(id, func() error {
		if c.get(id).phase != Missing {
			return nil
		}
		if err := c.drv.Create(ctx, id); err != nil {
			return err
		}
		c.put(id, record{phase: Available})
		return nil
	})
}

// Attach maps a volume to a node.
func (c *Controller) Attach(ctx context.Context, id, node string) error {
	return c.exclusive(id, func() error {
		r := c.get(id)
		switch {
		case r.phase == Attached && r.node == node:
			return nil
		case r.phase != Available:
			return fmt.Errorf("%w: %s is %q", ErrState, id, r.phase)
		}
		if !c.takeSlot(node) {
			return fmt.Errorf("%w: %s", ErrCapacity, node)
		}
		if err := c.drv.Map(ctx, id, node); err != nil {
			c.freeSlot(node)
			return err
		}
		r.phase, r.node = Attached, node
		c.put(id, r)
		return nil
	})
}

func (c *Controller) detachLocked(ctx context.Context, id string) error {
	r := c.get(id)
	if r.phase != Attached {
		return nil
	}
	if err := c.drv.Unmap(ctx, id, r.node); err != nil {
		return err
	}
	c.freeSlot(r.node)
	r.phase, r.node = Available, ""
	c.put(id, r)
	return nil
}

// Detach unmaps a volume.
func (c *Controller) Detach(ctx context.Context, id string) error {
	return c.exclusive(id, func() error { return c.detachLocked(ctx, id) })
}

// Delete detaches and erases a volume.
func (c *Controller) Delete(ctx context.Context, id string) error {
	return c.exclusive(id, func() error {
		if err := c.detachLocked(ctx, id); err != nil {
			return err
		}
		if c.get(id).phase == Missing {
			return nil
		}
		if err := c.drv.Erase(ctx, id); err != nil {
			return err
		}
		c.put(id, record{phase: Missing})
		return nil
	})
}

// Migrate moves a volume to another node.
func (c *Controller) Migrate(ctx context.Context, id, from, to string) error {
	if cur := c.get(id); cur.node != from {
		return fmt.Errorf("%w: %s is not on %s", ErrState, id, from)
	}
	return c.exclusive(id, func() error {
		if cur := c.get(id); cur.phase != Attached || cur.node != from {
			return fmt.Errorf("%w: %s left %s", ErrState, id, from)
		}
		if err := c.detachLocked(ctx, id); err != nil {
			return err
		}
		if !c.takeSlot(to) {
			return fmt.Errorf("%w: %s", ErrCapacity, to)
		}
		if err := c.drv.Map(ctx, id, to); err != nil {
			c.freeSlot(to)
			return err
		}
		r := c.get(id)
		r.phase, r.node = Attached, to
		c.put(id, r)
		return nil
	})
}

// Usage returns the slots in use on a node.
func (c *Controller) Usage(node string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.usage[node]
}
