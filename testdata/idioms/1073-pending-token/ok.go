// Package spider follows links from some seeds with a number of workers.
package spider

import (
	"context"
	"sync"
	"sync/atomic"
)

// Visit gets a page and returns its links.
type Visit func(ctx context.Context, url string) ([]string, error)

// crawl is one run. pending counts the pages accepted and not yet done, and
// one more while the seeds are put in.
type crawl struct {
	visit   Visit
	allow   func(url string) bool
	pending atomic.Int64
	pages   atomic.Int64
	errors  atomic.Int64

	mu     sync.Mutex
	cond   *sync.Cond
	queue  []string
	seen   map[string]struct{}
	closed bool
}

// Result of a crawl.
type Result struct {
	Pages  int64
	Errors int64
}

// Crawl visits all pages that can be reached from the seeds and are allowed.
func Crawl(ctx context.Context, workers int, visit Visit, allow func(string) bool, seeds ...string) Result {
	c := &crawl{visit: visit, allow: allow, seen: make(map[string]struct{})}
	c.cond = sync.NewCond(&c.mu)
	c.pending.Store(1)

	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { c.work(ctx) })
	}
	for _, s := range seeds {
		c.offer(s)
	}
	c.release()
	wg.Wait()
	return Result{Pages: c.pages.Load(), Errors: c.errors.Load()}
}

// offer accepts a page unless it is known. The caller has a page pending.
func (c *crawl) offer(url string) {
	if c.known(url) || !c.allow(url) {
		return
	}
	c.pending.Add(1)
	if !c.enqueue(url) {
		c.release()
	}
}

func (c *crawl) known(url string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.seen[url]
	return ok
}

func (c *crawl) enqueue(url string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.seen[url]; ok {
		return false
	}
	c.seen[url] = struct{}{}
	c.queue = append(c.queue, url)
	c.cond.Signal()
	return true
}

// release ends a page; the last one ends the crawl.
func (c *crawl) release() {
	if c.pending.Add(-1) > 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.cond.Broadcast()
}

func (c *crawl) next() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 {
		if c.closed {
			return "", false
		}
		c.cond.Wait()
	}
	url := c.queue[0]
	c.queue = c.queue[1:]
	return url, true
}

func (c *crawl) work(ctx context.Context) {
	for {
		url, ok := c.next()
		if !ok {
			return
		}
		c.page(ctx, url)
	}
}

func (c *crawl) page(ctx context.Context, url string) {
	defer c.release()
	if ctx.Err() != nil {
		c.errors.Add(1)
		return
	}
	links, err := c.visit(ctx, url)
	if err != nil {
		c.errors.Add(1)
		return
	}
	c.pages.Add(1)
	for _, l := range links {
		c.offer(l)
	}
}
