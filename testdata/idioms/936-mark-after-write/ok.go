// Package routes brings the routing table of a node in line with the routes
// that the control plane has announced.
package routes

import (
	"context"
	"log"
	"sync"
	"time"
)

// Route is the way to a prefix.
type Route struct {
	Via    string
	Metric int
}

// Kernel changes the routing table. Set and Unset may be repeated.
type Kernel interface {
	Set(prefix string, r Route) error
	Unset(prefix string) error
}

// desired is the announced state.
type desired struct {
	mu     sync.RWMutex
	routes map[string]Route
}

func (d *desired) get(prefix string) (Route, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	r, ok := d.routes[prefix]
	return r, ok
}

func (d *desired) set(prefix string, r Route) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.routes[prefix] = r
}

func (d *desired) unset(prefix string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.routes, prefix)
}

// queue holds the prefixes that have to be looked at. A prefix is given to
// one worker at a time.
type queue struct {
	mu     sync.Mutex
	some   *sync.Cond
	order  []string
	marked map[string]bool // waits, or has to be looked at again
	busy   map[string]bool // is with a worker
	closed bool
}

func newQueue() *queue {
	q := &queue{marked: make(map[string]bool), busy: make(map[string]bool)}
	q.some = sync.NewCond(&q.mu)
	return q
}

// mark asks for a look at a prefix.
func (q *queue) mark(prefix string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.marked[prefix] {
		return
	}
	q.marked[prefix] = true
	if !q.busy[prefix] {
		q.order = append(q.order, prefix)
		q.some.Signal()
	}
}

// next blocks until there is a prefix to look at.
func (q *queue) next() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) == 0 {
		if q.closed {
			return "", false
		}
		q.some.Wait()
	}
	prefix := q.order[0]
	q.order = q.order[1:]
	delete(q.marked, prefix)
	q.busy[prefix] = true
	return prefix, true
}

// done is called by the worker that got a prefix.
func (q *queue) done(prefix string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, prefix)
	if q.marked[prefix] {
		q.order = append(q.order, prefix)
		q.some.Signal()
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.some.Broadcast()
}

// Syncer keeps the routing table in line. Its methods are safe for concurrent
// use.
type Syncer struct {
	kernel Kernel
	want   desired
	work   *queue
	retry  time.Duration
}

// NewSyncer returns a syncer; Run makes it work.
func NewSyncer(k Kernel, retry time.Duration) *Syncer {
	return &Syncer{
		kernel: k,
		want:   desired{routes: make(map[string]Route)},
		work:   newQueue(),
		retry:  retry,
	}
}

// Announce sets the route of a prefix.
func (s *Syncer) Announce(prefix string, r Route) {
	s.want.set(prefix, r)
	s.work.mark(prefix)
}

// Withdraw removes the route of a prefix.
func (s *Syncer) Withdraw(prefix string) {
	s.want.unset(prefix)
	s.work.mark(prefix)
}

// sync brings one prefix in line.
func (s *Syncer) sync(prefix string) error {
	r, ok := s.want.get(prefix)
	if !ok {
		return s.kernel.Unset(prefix)
	}
	return s.kernel.Set(prefix, r)
}

func (s *Syncer) worker() {
	for {
		prefix, ok := s.work.next()
		if !ok {
			return
		}
		if err := s.sync(prefix); err != nil {
			log.Printf("routes: %s: %v", prefix, err)
			time.AfterFunc(s.retry, func() { s.work.mark(prefix) })
		}
		s.work.done(prefix)
	}
}

// Run works with n goroutines until ctx is done.
func (s *Syncer) Run(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.worker()
		}()
	}
	<-ctx.Done()
	s.work.close()
	wg.Wait()
}
