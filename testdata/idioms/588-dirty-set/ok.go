// Package ok runs a controller on a queue of keys.
package ok

import (
	"fmt"
	"log"
	"sync"
)

type set map[string]struct{}

func (s set) has(key string) bool { _, ok := s[key]; return ok }

// Queue hands out each key to one worker at a time.
type Queue struct {
	cond *sync.Cond

	// queue defines the order in which we will work on items. Every
	// element of queue should be in the dirty set and not in the
	// processing set.
	queue []string

	// dirty defines all of the items that need to be processed.
	dirty set

	// Things that are currently being processed are in the processing set.
	// These things may be simultaneously in the dirty set.
	processing set

	shuttingDown bool
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	return &Queue{cond: sync.NewCond(&sync.Mutex{}), dirty: set{}, processing: set{}}
}

// Add marks item as needing processing.
func (q *Queue) Add(item string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	if q.shuttingDown || q.dirty.has(item) {
		return
	}
	q.dirty[item] = struct{}{}
	if q.processing.has(item) {
		return
	}
	q.queue = append(q.queue, item)
	q.cond.Signal()
}

// Get blocks until it can return an item to be processed.
func (q *Queue) Get() (item string, shutdown bool) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	for len(q.queue) == 0 && !q.shuttingDown {
		q.cond.Wait()
	}
	if len(q.queue) == 0 {
		// We must be shutting down.
		return "", true
	}
	item = q.queue[0]
	q.queue = q.queue[1:]
	q.processing[item] = struct{}{}
	delete(q.dirty, item)
	return item, false
}

// Done marks item as done processing, and if it has been marked as dirty again
// while it was being processed, it will be re-added to the queue for
// re-processing.
func (q *Queue) Done(item string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	delete(q.processing, item)
	if q.dirty.has(item) {
		q.queue = append(q.queue, item)
		q.cond.Signal()
	}
}

// ShutDown lets the workers end once the queue is empty.
func (q *Queue) ShutDown() {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	q.shuttingDown = true
	q.cond.Broadcast()
}

// Controller brings what is running in line with what is wanted.
type Controller struct {
	queue *Queue
	start func(key string, replicas int) error

	mu      sync.RWMutex
	wanted  map[string]int
	running map[string]int
}

// NewController starts some workers.
func NewController(workers int, start func(string, int) error) *Controller {
	c := &Controller{
		queue:   NewQueue(),
		start:   start,
		wanted:  make(map[string]int),
		running: make(map[string]int),
	}
	for range workers {
		go c.runWorker()
	}
	return c
}

// OnUpdate is called when an object has changed.
func (c *Controller) OnUpdate(key string, replicas int) {
	c.mu.Lock()
	c.wanted[key] = replicas
	c.mu.Unlock()
	c.queue.Add(key)
}

// Stop ends the workers.
func (c *Controller) Stop() { c.queue.ShutDown() }

func (c *Controller) runWorker() {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		if err := c.sync(key); err != nil {
			log.Print(err)
			c.queue.Add(key)
		}
		c.queue.Done(key)
	}
}

// sync is never called for the same key by two workers at a time.
func (c *Controller) sync(key string) error {
	c.mu.RLock()
	wanted, running := c.wanted[key], c.running[key]
	c.mu.RUnlock()
	if wanted == running {
		return nil
	}
	if err := c.start(key, wanted); err != nil {
		return fmt.Errorf("starting %s: %w", key, err)
	}
	c.mu.Lock()
	c.running[key] = wanted
	c.mu.Unlock()
	return nil
}
