package a

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// FetchFunc loads a page and returns the links found on it.
type FetchFunc func(ctx context.Context, url string) ([]string, error)

// Crawler visits all pages which can be reached from its seeds, at a limited
// rate, and stops when nothing is left.
type Crawler struct {
	fetch FetchFunc
	rate  *time.Ticker
	done  chan struct{}
	once  sync.Once

	mu       sync.Mutex
	frontier []string
	seen     map[string]bool
	busy     int

	fetched atomic.Int64
	failed  atomic.Int64
}

func New(fetch FetchFunc, interval time.Duration, seeds ...string) *Crawler {
	c := &Crawler{
		fetch: fetch,
		rate:  time.NewTicker(interval),
		done:  make(chan struct{}),
		seen:  make(map[string]bool),
	}
	c.push(seeds)
	return c
}

func (c *Crawler) push(urls []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range urls {
		if !c.seen[u] {
			c.seen[u] = true
			c.frontier = append(c.frontier, u)
		}
	}
}

// pop also counts the caller as busy; drained means that no work is left and
// none can come.
func (c *Crawler) pop() (url string, ok, drained bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.frontier) == 0 {
		return "", false, c.busy == 0
	}
	u := c.frontier[0]
	c.frontier = c.frontier[1:]
	c.busy++
	return u, true, false
}

func (c *Crawler) release() {
	c.mu.Lock()
	c.busy--
	c.mu.Unlock()
}

func (c *Crawler) finish() {
	c.once.Do(func() {
		c.rate.Stop()
		close(c.done)
	})
}

// Run crawls with n workers and returns when the site is exhausted.
func (c *Crawler) Run(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { c.work(ctx) })
	}
	wg.Wait()
}

func (c *Crawler) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.done:
			return
		case <-c.rate.C:
		}
		url, ok, drained := c.pop()
		if !ok {
			if drained {
				c.finish()
			}
			continue
		}
		c.visit(ctx, url)
		c.release()
	}
}

func (c *Crawler) visit(ctx context.Context, url string) {
	links, err := c.fetch(ctx, url)
	if err != nil {
		c.failed.Add(1)
		log.Printf("fetch %s: %v", url, err)
		return
	}
	c.fetched.Add(1)
	c.push(links)
}
