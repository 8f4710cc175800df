// Package ok is a controller with a work queue.
package ok

import (
	"fmt"
	"sync"
)

type set map[string]struct{}

func (s set) has(item string) bool { _, ok := s[item]; return ok }
func (s set) insert(item string)   { s[item] = struct{}{} }
func (s set) delete(item string)   { delete(s, item) }

// Type is a work queue.
type Type struct {
	// queue defines the order in which we will work on items. Every
	// element of queue should be in the dirty set and not in the
	// processing set.
	queue []string

	// dirty defines all of the items that need to be processed.
	dirty set

	// Things that are currently being processed are in the processing set.
	// These things may be simultaneously in the dirty set. When we finish
	// processing something and remove it from this set, we'll check if
	// it's in the dirty set, and if so, add it to the queue.
	processing set

	cond *sync.Cond

	shuttingDown bool
}

// New constructs a new work queue.
func New() *Type {
	return &Type{
		dirty:      set{},
		processing: set{},
		cond:       sync.NewCond(&sync.Mutex{}),
	}
}

// Add marks item as needing processing.
func (q *Type) Add(item string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	if q.shuttingDown {
		return
	}
	if q.dirty.has(item) {
		return
	}

	q.dirty.insert(item)
	if q.processing.has(item) {
		return
	}

	q.queue = append(q.queue, item)
	q.cond.Signal()
}

// Get blocks until it can return an item to be processed. If shutdown = true,
// the caller should end their goroutine. You must call Done with item when you
// have finished processing it.
func (q *Type) Get() (item string, shutdown bool) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	for len(q.queue) == 0 && !q.shuttingDown {
		q.cond.Wait()
	}
	if len(q.queue) == 0 {
		// We must be shutting down.
		return "", true
	}

	item, q.queue = q.queue[0], q.queue[1:]

	q.processing.insert(item)
	q.dirty.delete(item)

	return item, false
}

// Done marks item as done processing, and if it has been marked as dirty again
// while it was being processed, it will be re-added to the queue for
// re-processing.
func (q *Type) Done(item string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()

	q.processing.delete(item)
	if q.dirty.has(item) {
		q.queue = append(q.queue, item)
		q.cond.Signal()
	}
}

// ShutDown will cause q to ignore all new items added to it.
func (q *Type) ShutDown() {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	q.shuttingDown = true
	q.cond.Broadcast()
}

// Lister reads the wanted state.
type Lister interface {
	Get(key string) (spec string, ok bool)
}

// Cluster applies the wanted state; applying twice is harmless.
type Cluster interface {
	Apply(key, spec string) error
	Delete(key string) error
}

// Controller makes the cluster equal to the wanted state.
type Controller struct {
	queue   *Type
	lister  Lister
	cluster Cluster
}

// OnChange is called after the lister has seen a change.
func (c *Controller) OnChange(key string) { c.queue.Add(key) }

// Run works with n goroutines until ShutDown.
func (c *Controller) Run(n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for c.processNextItem() {
			}
		})
	}
	wg.Wait()
}

func (c *Controller) processNextItem() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)

	if err := c.sync(key); err != nil {
		fmt.Printf("%s: %v\n", key, err)
		c.queue.Add(key)
	}
	return true
}

func (c *Controller) sync(key string) error {
	spec, ok := c.lister.Get(key)
	if !ok {
		return c.cluster.Delete(key)
	}
	return c.cluster.Apply(key, spec)
}
