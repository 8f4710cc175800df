// Package hostslots bounds how many requests a crawler has open per host.
package hostslots

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
)

type slot struct {
	tokens chan struct{}
}

func newSlot(n int) *slot {
	return &slot{tokens: make(chan struct{}, n)}
}

func (s *slot) acquire(ctx context.Context) error {
	select {
	case s.tokens <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slot) release() { <-s.tokens }

// Limiter allows perHost concurrent requests to each host.
type Limiter struct {
	perHost int
	hosts   sync.Map // host name to *slot
}

// NewLimiter returns a limiter with the given bound per host.
func NewLimiter(perHost int) *Limiter {
	if perHost < 1 {
		perHost = 1
	}
	return &Limiter{perHost: perHost}
}

func (l *Limiter) slotFor(host string) *slot {
	if v, ok := l.hosts.Load(host); ok {
		return v.(*slot)
	}
	s := newSlot(l.perHost)
	l.hosts.Store(host, s)
	return s
}

// Acquire waits for a free slot on host and returns its release function.
func (l *Limiter) Acquire(ctx context.Context, host string) (func(), error) {
	s := l.slotFor(host)
	if err := s.acquire(ctx); err != nil {
		return nil, fmt.Errorf("slot on %s: %w", host, err)
	}
	var once sync.Once
	return func() { once.Do(s.release) }, nil
}

// Fetcher downloads pages within the limits of a Limiter.
type Fetcher struct {
	Client  *http.Client
	Limiter *Limiter
	MaxBody int64
}

// Fetch downloads one URL.
func (f *Fetcher) Fetch(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	release, err := f.Limiter.Acquire(ctx, req.URL.Host)
	if err != nil {
		return nil, err
	}
	defer release()
	resp, err := f.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(io.LimitReader(resp.Body, f.MaxBody))
}

// FetchAll downloads every URL concurrently and hands each body to sink.
func (f *Fetcher) FetchAll(ctx context.Context, urls []string, sink func(url string, body []byte, err error)) {
	var wg sync.WaitGroup
	for _, u := range urls {
		wg.Add(1)
		go func() {
			defer wg.Done()
			body, err := f.Fetch(ctx, u)
			sink(u, body, err)
		}()
	}
	wg.Wait()
}
