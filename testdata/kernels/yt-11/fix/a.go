// Package frontier decides what a crawler fetches next.
package frontier

import (
	"context"
	"errors"
	"log"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

var ErrFinished = errors.New("frontier: crawl is finished")

// Robots tells whether a URL may be fetched.
type Robots interface {
	Allowed(ctx context.Context, u *url.URL) bool
}

// Fetcher downloads a page and returns its links.
type Fetcher interface {
	Fetch(ctx context.Context, u *url.URL) (links []*url.URL, err error)
}

// hostQueue is the FIFO of one host.
type hostQueue struct {
	host string
	urls []*url.URL
	next time.Time
}

type Frontier struct {
	robots Robots
	delay  time.Duration

	active atomic.Int64 // URLs that were taken and are not finished

	mu       sync.Mutex
	hosts    map[string]*hostQueue
	order    []*hostQueue // with at least one URL
	seen     map[string]bool
	finished bool
}

func New(r Robots, delay time.Duration) *Frontier {
	return &Frontier{
		robots: r,
		delay:  delay,
		hosts:  make(map[string]*hostQueue),
		seen:   make(map[string]bool),
	}
}

// Add queues the URLs that were not seen before.
func (f *Frontier) Add(urls ...*url.URL) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.finished {
		return ErrFinished
	}
	for _, u := range urls {
		key := u.String()
		if f.seen[key] {
			continue
		}
		f.seen[key] = true
		q := f.hosts[u.Host]
		if q == nil {
			q = &hostQueue{host: u.Host}
			f.hosts[u.Host] = q
		}
		if len(q.urls) == 0 {
			f.order = append(f.order, q)
		}
		q.urls = append(q.urls, u)
	}
	return nil
}

// pop takes a URL of the first host that may be visited now; it counts as active.
func (f *Frontier) pop(now time.Time) *url.URL {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, q := range f.order {
		if now.Before(q.next) {
			continue
		}
		u := q.urls[0]
		q.urls = q.urls[1:]
		q.next = now.Add(f.delay)
		f.order = append(f.order[:i], f.order[i+1:]...)
		if len(q.urls) > 0 {
			f.order = append(f.order, q)
		}
		f.active.Add(1)
		return u
	}
	return nil
}

// exhausted closes the frontier once nothing can be added to it any more.
func (f *Frontier) exhausted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.finished && len(f.order) == 0 && f.active.Load() == 0 {
		f.finished = true
	}
	return f.finished
}

// Next waits for a URL. Each URL must be given back with Done.
func (f *Frontier) Next(ctx context.Context) (*url.URL, error) {
	for {
		if u := f.pop(time.Now()); u != nil {
			if !f.robots.Allowed(ctx, u) {
				f.active.Add(-1)
				continue
			}
			return u, nil
		}
		if f.exhausted() {
			return nil, ErrFinished
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Done adds the links of a page that was taken with Next.
func (f *Frontier) Done(links []*url.URL) error {
	defer f.active.Add(-1)
	return f.Add(links...)
}

// Crawl runs n workers until the frontier is exhausted.
func (f *Frontier) Crawl(ctx context.Context, n int, fetcher Fetcher) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for {
				u, err := f.Next(ctx)
				if err != nil {
					return
				}
				links, err := fetcher.Fetch(ctx, u)
				if err != nil {
					log.Printf("frontier: %s: %v", u, err)
				}
				if err := f.Done(links); err != nil {
					log.Printf("frontier: links of %s dropped: %v", u, err)
				}
			}
		})
	}
	wg.Wait()
}
