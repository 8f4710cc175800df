// Package nodes tracks the worker machines of a cluster.
package nodes

import (
	"context"
	"errors"
	"log"
	"time"
)

// ErrNoRoom is returned by Bind when a node cannot take the workload.
var ErrNoRoom = errors.New("nodes: no room")

// Heartbeat is sent by the agent of a node.
type Heartbeat struct {
	Node string
	At   time.Time
	CPU  int64
}

// Controller keeps the nodes up to date. The API server calls it from one
// goroutine per request.
type Controller struct {
	store Store
	grace time.Duration
}

// NewController returns a controller on top of store.
func NewController(store Store, grace time.Duration) *Controller {
	return &Controller{store: store, grace: grace}
}

// Run marks nodes that have gone silent until ctx ends.
func (c *Controller) Run(ctx context.Context) {
	t := time.NewTicker(c.grace / 4)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			c.sweep(time.Now().Add(-c.grace))
		}
	}
}

var errFresh = errors.New("heard of in time")

// sweep marks the nodes that were last seen before the cutoff as not ready.
func (c *Controller) sweep(cutoff time.Time) {
	for _, n := range c.store.List() {
		if !n.Ready {
			continue
		}
		err := c.store.Update(n.Name, func(n *Node) error {
			if !n.Ready || !n.LastSeen.Before(cutoff) {
				return errFresh
			}
			n.Ready = false
			return nil
		})
		if err == nil {
			log.Printf("nodes: %s has gone silent", n.Name)
		}
	}
}

// Join adds a node. It becomes ready with its first heartbeat.
func (c *Controller) Join(name string) error {
	return c.store.Create(Node{Name: name})
}

// Leave removes a node.
func (c *Controller) Leave(name string) error {
	return c.store.Delete(name)
}

// Heartbeat takes over the state that an agent reports.
func (c *Controller) Heartbeat(hb Heartbeat) error {
	return c.store.Update(hb.Node, func(n *Node) error {
		if !hb.At.After(n.LastSeen) {
			return nil
		}
		n.LastSeen = hb.At
		n.CPU = hb.CPU
		n.Ready = true
		return nil
	})
}

// Bind reserves millicores of a node for a workload.
func (c *Controller) Bind(name string, cpu int64) error {
	return c.store.Update(name, func(n *Node) error {
		if !n.Ready || n.Cordoned || n.Allocated+cpu > n.CPU {
			return ErrNoRoom
		}
		n.Allocated += cpu
		return nil
	})
}

// Unbind gives back what Bind reserved.
func (c *Controller) Unbind(name string, cpu int64) error {
	return c.store.Update(name, func(n *Node) error {
		n.Allocated -= cpu
		return nil
	})
}

// Cordon keeps new workloads off a node.
func (c *Controller) Cordon(name string, on bool) error {
	return c.store.Update(name, func(n *Node) error {
		n.Cordoned = on
		return nil
	})
}
