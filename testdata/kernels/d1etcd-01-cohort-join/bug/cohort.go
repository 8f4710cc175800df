// Package bug fans feeds out to readers and lets readers of the same range
// share one feed.
package bug

import (
	"context"
	"sync"
)

// Batch is a number of changes up to a position.
type Batch struct {
	Pos     int64
	Changes []string
}

// Upstream opens feeds.
type Upstream interface {
	Open(ctx context.Context, rng string, from int64) <-chan Batch
}

type readerID struct {
	stream, num int64
}

// reader is one consumer; it gets batches from one goroutine at a time.
type reader struct {
	id  readerID
	rng string
	pos int64
	out chan<- Batch
}

func (r *reader) send(b Batch) {
	if b.Pos <= r.pos {
		return
	}
	r.pos = b.Pos
	r.out <- b
}

// cohort is a set of readers that share a feed.
type cohort struct {
	feed   <-chan Batch
	cancel context.CancelFunc

	mu      sync.Mutex
	pos     int64
	members map[readerID]*reader

	done chan struct{}
}

func newCohort(feed <-chan Batch, cancel context.CancelFunc) *cohort {
	return &cohort{
		feed:    feed,
		cancel:  cancel,
		members: make(map[readerID]*reader),
		done:    make(chan struct{}),
	}
}

func (c *cohort) run() {
	defer close(c.done)
	for b := range c.feed {
		c.broadcast(b)
	}
}

func (c *cohort) broadcast(b Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pos = b.Pos
	for _, r := range c.members {
		r.send(b)
	}
}

// add takes the reader in and returns the position of the cohort.
func (c *cohort) add(r *reader) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members[r.id] = r
	return c.pos
}

func (c *cohort) remove(id readerID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.members, id)
}

func (c *cohort) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.members) == 0
}

func (c *cohort) position() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pos
}

func (c *cohort) stop() {
	c.cancel()
	<-c.done
}

// loner is a reader with a feed of its own.
type loner struct {
	owner  *exchange
	feed   <-chan Batch
	cancel context.CancelFunc
	r      *reader
}

func (l *loner) run() {
	for b := range l.feed {
		l.r.send(b)
		if l.owner.maybeJoin(l) {
			l.cancel()
			return
		}
	}
}

// exchange keeps the cohorts.
type exchange struct {
	up  Upstream
	ctx context.Context

	mu       sync.Mutex
	cohorts  map[string]*cohort
	byReader map[readerID]*cohort
}

func newExchange(ctx context.Context, up Upstream) *exchange {
	return &exchange{
		up:       up,
		ctx:      ctx,
		cohorts:  make(map[string]*cohort),
		byReader: make(map[readerID]*cohort),
	}
}

// follow opens the shared feed of a range, from now on.
func (x *exchange) follow(rng string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.cohorts[rng]; ok {
		return
	}
	ctx, cancel := context.WithCancel(x.ctx)
	c := newCohort(x.up.Open(ctx, rng, 0), cancel)
	x.cohorts[rng] = c
	go c.run()
}

// replay starts a reader at a position of the past.
func (x *exchange) replay(id readerID, rng string, from int64, out chan<- Batch) {
	ctx, cancel := context.WithCancel(x.ctx)
	l := &loner{
		owner:  x,
		feed:   x.up.Open(ctx, rng, from),
		cancel: cancel,
		r:      &reader{id: id, rng: rng, pos: from - 1, out: out},
	}
	go l.run()
}

// maybeJoin moves a reader that has caught up to the cohort of its range.
func (x *exchange) maybeJoin(l *loner) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	c, ok := x.cohorts[l.r.rng]
	if !ok {
		return false
	}
	if l.r.pos >= c.position() {
		c.add(l.r)
		x.byReader[l.r.id] = c
		return true
	}
	return false
}

// leave takes a reader out; a cohort without readers ends.
func (x *exchange) leave(id readerID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	c, ok := x.byReader[id]
	if !ok {
		return false
	}
	c.remove(id)
	delete(x.byReader, id)
	if c.empty() {
		for rng, o := range x.cohorts {
			if o == c {
				delete(x.cohorts, rng)
			}
		}
		c.stop()
	}
	return true
}
