// Package crawl walks a site with a number of workers.
package crawl

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Fetcher gets a page and returns the links on it.
type Fetcher interface {
	Fetch(ctx context.Context, url string) (links []string, err error)
}

// frontier holds the URLs still to be visited.
type frontier struct {
	mu    sync.Mutex
	queue []string
	busy  int // popped and not released
	seen  map[string]bool
	ready chan struct{} // has a token when there may be work
}

func newFrontier() *frontier {
	return &frontier{
		seen:  make(map[string]bool),
		ready: make(chan struct{}, 1),
	}
}

func (f *frontier) Push(urls ...string) {
	f.mu.Lock()
	for _, u := range urls {
		if !f.seen[u] {
			f.seen[u] = true
			f.queue = append(f.queue, u)
		}
	}
	n := len(f.queue)
	f.mu.Unlock()
	if n > 0 {
		f.wake()
	}
}

func (f *frontier) wake() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

func (f *frontier) Pop() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 {
		return "", false
	}
	u := f.queue[0]
	f.queue = f.queue[1:]
	if len(f.queue) > 0 {
		f.wake()
	}
	f.busy++
	return u, true
}

// Release ends the work on a popped URL, after its links were pushed.
func (f *frontier) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy--
}

func (f *frontier) Idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.busy == 0 && len(f.queue) == 0
}

// Crawler visits every page reachable from the seeds.
type Crawler struct {
	fetch   Fetcher
	workers int

	front   *frontier
	visited atomic.Int64
	failed  atomic.Int64
}

// New returns a crawler. It is good for one Run.
func New(fetch Fetcher, workers int) *Crawler {
	return &Crawler{fetch: fetch, workers: workers, front: newFrontier()}
}

// Run crawls until no page is left and returns the number of pages visited.
func (c *Crawler) Run(ctx context.Context, seeds ...string) (int64, error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()

	c.front.Push(seeds...)
	var wg sync.WaitGroup
	for range c.workers {
		wg.Go(func() { c.worker(inner) })
	}
	c.watch(inner, stop)
	wg.Wait()
	return c.visited.Load(), ctx.Err()
}

// watch stops the workers when everything is done.
func (c *Crawler) watch(ctx context.Context, stop func()) {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if c.idle() {
				stop()
				return
			}
		}
	}
}

func (c *Crawler) idle() bool {
	return c.front.Idle()
}

func (c *Crawler) worker(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.front.ready:
		}
		for ctx.Err() == nil {
			u, ok := c.front.Pop()
			if !ok {
				break
			}
			c.visit(ctx, u)
			c.front.Release()
		}
	}
}

func (c *Crawler) visit(ctx context.Context, u string) {
	links, err := c.fetch.Fetch(ctx, u)
	if err != nil {
		c.failed.Add(1)
		return
	}
	c.visited.Add(1)
	c.front.Push(links...)
}

// Failed returns the number of pages that could not be fetched.
func (c *Crawler) Failed() int64 { return c.failed.Load() }
