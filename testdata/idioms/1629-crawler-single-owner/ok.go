package a

import (
	"context"
	"sync"
	"time"
)

// Page is a fetched page with the links on it.
type Page struct {
	URL   string
	Links []string
	Err   error
}

type frontier struct {
	queue   []string
	seen    map[string]bool
	pending int
}

func (f *frontier) known(url string) bool { return f.seen[url] }

func (f *frontier) add(url string) {
	f.seen[url] = true
	f.queue = append(f.queue, url)
}

func (f *frontier) next() string {
	if len(f.queue) == 0 {
		return ""
	}
	return f.queue[0]
}

func (f *frontier) offer(urls []string) {
	for _, u := range urls {
		if !f.known(u) {
			f.add(u)
		}
	}
}

// Crawler visits pages with a fixed number of workers at a limited rate.
type Crawler struct {
	Workers  int
	Interval time.Duration
	Fetch    func(ctx context.Context, url string) ([]string, error)
}

// Crawl returns all pages which can be reached from the seeds.
func (c *Crawler) Crawl(ctx context.Context, seeds ...string) ([]Page, error) {
	ctx, cancel := context.WithCancel(ctx)
	jobs, results := make(chan string), make(chan Page)
	rate := time.NewTicker(c.Interval)

	var wg sync.WaitGroup
	defer wg.Wait()
	defer rate.Stop()
	defer close(jobs)
	defer cancel()
	for range max(1, c.Workers) {
		wg.Go(func() {
			for url := range jobs {
				select {
				case <-rate.C:
				case <-ctx.Done():
					return
				}
				links, err := c.Fetch(ctx, url)
				select {
				case results <- Page{url, links, err}:
				case <-ctx.Done():
					return
				}
			}
		})
	}

	f := &frontier{seen: make(map[string]bool)}
	f.offer(seeds)
	var pages []Page
	for len(f.queue) > 0 || f.pending > 0 {
		out := jobs
		if len(f.queue) == 0 {
			out = nil
		}
		select {
		case <-ctx.Done():
			return pages, ctx.Err()
		case out <- f.next():
			f.queue = f.queue[1:]
			f.pending++
		case p := <-results:
			f.pending--
			f.offer(p.Links)
			pages = append(pages, p)
		}
	}
	return pages, nil
}
