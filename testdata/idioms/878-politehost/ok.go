// Package polite schedules a crawler's requests so that a host sees one
// request at a time and gets a rest after each.
package polite

import (
	"context"
	"net/url"
	"sync"
	"time"
)

const (
	minDelay = 500 * time.Millisecond
	maxDelay = 2 * time.Minute
)

// Fetcher downloads a page and reports how long the host took for it.
type Fetcher interface {
	Fetch(ctx context.Context, url string) (took time.Duration, throttled bool)
}

type host struct {
	queue []string
	busy  bool // claimed by a worker
	delay time.Duration
	next  time.Time
}

// Scheduler holds the queues of all hosts. It is safe for concurrent use.
type Scheduler struct {
	fetch Fetcher

	mu    sync.Mutex
	hosts map[string]*host
}

// NewScheduler returns a scheduler without hosts.
func NewScheduler(f Fetcher) *Scheduler {
	return &Scheduler{fetch: f, hosts: make(map[string]*host)}
}

// Add queues a page.
func (s *Scheduler) Add(page string) error {
	u, err := url.Parse(page)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.hosts[u.Host]
	if !ok {
		h = &host{delay: minDelay}
		s.hosts[u.Host] = h
	}
	h.queue = append(h.queue, page)
	return nil
}

// claim picks a host that may be asked now and takes a page from its queue.
// The caller has the host to itself until it calls yield.
func (s *Scheduler) claim(now time.Time) (*host, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hosts {
		if h.busy || len(h.queue) == 0 || now.Before(h.next) {
			continue
		}
		h.busy = true
		page := h.queue[0]
		h.queue = h.queue[1:]
		return h, page
	}
	return nil, ""
}

// yield ends a claim; the host rests for its delay.
func (s *Scheduler) yield(h *host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.next = time.Now().Add(h.delay)
	h.busy = false
}

func (s *Scheduler) delay(h *host) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.delay
}

func (s *Scheduler) setDelay(h *host, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.delay = min(max(d, minDelay), maxDelay)
}

// step serves one page, if a host is free.
func (s *Scheduler) step(ctx context.Context) bool {
	h, page := s.claim(time.Now())
	if h == nil {
		return false
	}
	defer s.yield(h)
	d := s.delay(h)
	took, throttled := s.fetch.Fetch(ctx, page)
	switch {
	case throttled:
		d *= 2
	case took > d:
		d = (d + took) / 2
	default:
		d -= d / 8
	}
	s.setDelay(h, d)
	return true
}

// Run serves pages with n workers until ctx ends.
func (s *Scheduler) Run(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for ctx.Err() == nil {
				if s.step(ctx) {
					continue
				}
				select {
				case <-time.After(50 * time.Millisecond):
				case <-ctx.Done():
				}
			}
		})
	}
	wg.Wait()
}

// Delays returns the current delay of every host.
func (s *Scheduler) Delays() map[string]time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]time.Duration, len(s.hosts))
	for name, h := range s.hosts {
		out[name] = h.delay
	}
	return out
}
