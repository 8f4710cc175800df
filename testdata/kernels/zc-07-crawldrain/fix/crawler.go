// Package crawl walks the pages of a site for the search indexer.
package crawl

import (
	"context"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Page is the outcome of one fetch.
type Page struct {
	URL    string
	Status int
	Links  []string
}

// Fetcher downloads a page.
type Fetcher interface {
	Fetch(ctx context.Context, url string) (Page, error)
}

// Index receives the fetched pages. It is safe for concurrent use.
type Index interface {
	Put(p Page)
}

// Crawler visits every page of one host that can be reached from the seeds.
// A Crawler is good for one Run.
type Crawler struct {
	host  string
	fetch Fetcher
	index Index

	mu    sync.Mutex
	queue []string
	seen  map[string]bool
	busy  int // pages taken from the queue and not finished

	failed atomic.Int64
}

// New returns a crawler for host.
func New(host string, f Fetcher, idx Index) *Crawler {
	return &Crawler{host: host, fetch: f, index: idx, seen: make(map[string]bool)}
}

// Run crawls with n workers and returns when every page has been visited or
// ctx ends.
func (c *Crawler) Run(ctx context.Context, n int, seeds ...string) error {
	c.start(seeds)
	wctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { c.worker(wctx) })
	}
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for !c.drained() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			wg.Wait()
			return ctx.Err()
		}
	}
	stop()
	wg.Wait()
	return nil
}

// worker visits pages until ctx ends.
func (c *Crawler) worker(ctx context.Context) {
	for ctx.Err() == nil {
		u, ok := c.pop()
		if !ok {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
			}
			continue
		}
		c.finish(c.visit(ctx, u))
	}
}

// visit fetches and indexes one page and returns its links.
func (c *Crawler) visit(ctx context.Context, u string) []string {
	p, err := c.fetch.Fetch(ctx, u)
	if err != nil {
		c.failed.Add(1)
		return nil
	}
	c.index.Put(p)
	return p.Links
}

// start queues the seeds.
func (c *Crawler) start(seeds []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pushLocked(seeds)
}

// finish queues the links of a visited page, which is no longer busy.
func (c *Crawler) finish(links []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pushLocked(links)
	c.busy--
}

// pushLocked queues the links that have not been seen yet.
func (c *Crawler) pushLocked(links []string) {
	for _, l := range links {
		if !c.wanted(l) || c.seen[l] {
			continue
		}
		c.seen[l] = true
		c.queue = append(c.queue, l)
	}
}

// pop takes the next page to visit, which is busy until finish.
func (c *Crawler) pop() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return "", false
	}
	u := c.queue[0]
	c.queue = c.queue[1:]
	c.busy++
	return u, true
}

// drained reports whether there is nothing left to visit.
func (c *Crawler) drained() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) == 0 && c.busy == 0
}

func (c *Crawler) wanted(link string) bool {
	u, err := url.Parse(link)
	return err == nil && u.Host == c.host && (u.Scheme == "http" || u.Scheme == "https")
}

// Failed returns the number of pages that could not be fetched.
func (c *Crawler) Failed() int64 { return c.failed.Load() }
