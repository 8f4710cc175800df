// Package catalog keeps the live instances of the services of one datacenter.
package catalog

import (
	"errors"
	"log"
	"sync"
	"time"
)

// evictBatch bounds how long the write lock is held during a sweep, so that
// lookups keep flowing when a whole rack has gone away.
const evictBatch = 64

// ErrExists is returned by Register for an id that is taken.
var ErrExists = errors.New("catalog: instance already registered")

// Instance is one running copy of a service.
type Instance struct {
	ID       string
	Service  string
	Addr     string
	LastBeat time.Time
}

// Catalog is safe for concurrent use.
type Catalog struct {
	ttl time.Duration
	log *log.Logger

	mu        sync.RWMutex
	instances map[string]*Instance

	stop    chan struct{}
	done    chan struct{}
	closing sync.Once
}

// New returns a catalog whose instances must beat at least once per ttl.
func New(ttl time.Duration, logger *log.Logger) *Catalog {
	c := &Catalog{
		ttl:       ttl,
		log:       logger,
		instances: make(map[string]*Instance),
		stop:      make(chan struct{}),
		done:      make(chan struct{}),
	}
	go c.reap()
	return c
}

// Register adds an instance; its first beat is now.
func (c *Catalog) Register(id, service, addr string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.instances[id]; ok {
		return ErrExists
	}
	c.instances[id] = &Instance{ID: id, Service: service, Addr: addr, LastBeat: time.Now()}
	return nil
}

// Heartbeat extends the life of an instance by one ttl. An agent that gets
// false must shut its workload down: its place may have been given away.
func (c *Catalog) Heartbeat(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	in, ok := c.instances[id]
	if !ok {
		return false
	}
	in.LastBeat = time.Now()
	return true
}

// Lookup returns copies of the instances of a service.
func (c *Catalog) Lookup(service string) []Instance {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []Instance
	for _, in := range c.instances {
		if in.Service == service {
			out = append(out, *in)
		}
	}
	return out
}

// Close stops the reaper and waits for it.
func (c *Catalog) Close() {
	c.closing.Do(func() { close(c.stop) })
	<-c.done
}

func (c *Catalog) reap() {
	defer close(c.done)
	t := time.NewTicker(c.ttl / 2)
	defer t.Stop()
	for {
		select {
		case <-c.stop:
			return
		case now := <-t.C:
			if n := c.sweep(now); n > 0 {
				c.log.Printf("catalog: evicted %d instances", n)
			}
		}
	}
}

func (c *Catalog) sweep(now time.Time) int {
	silent := c.expired(now)
	total := 0
	for len(silent) > 0 {
		n := min(len(silent), evictBatch)
		total += c.evict(silent[:n], now)
		silent = silent[n:]
	}
	return total
}

// expired lists the instances that have missed their ttl. It walks the whole
// catalog and therefore takes only the read lock.
func (c *Catalog) expired(now time.Time) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var ids []string
	for id, in := range c.instances {
		if now.Sub(in.LastBeat) > c.ttl {
			ids = append(ids, id)
		}
	}
	return ids
}

// evict removes those of the given instances that have still not beaten.
func (c *Catalog) evict(ids []string, now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, id := range ids {
		in, ok := c.instances[id]
		if !ok || now.Sub(in.LastBeat) <= c.ttl {
			continue
		}
		delete(c.instances, id)
		n++
	}
	return n
}
