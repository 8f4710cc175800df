package crawl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Page is what was found at an address.
type Page struct {
	Title string
	Links []string
}

// Fetcher gets one page.
type Fetcher func(ctx context.Context, url string) (Page, error)

// WithRetry tries again, up to n times in all.
func (f Fetcher) WithRetry(n int) Fetcher {
	return func(ctx context.Context, url string) (p Page, err error) {
		for range n {
			if p, err = f(ctx, url); err == nil || ctx.Err() != nil {
				break
			}
		}
		return p, err
	}
}

// Crawl fetches all urls, at most width at a time, and returns the pages found
// together with what went wrong.
func Crawl(ctx context.Context, urls []string, width int, fetch Fetcher) (map[string]Page, error) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		pages = make(map[string]Page, len(urls))
		errs  []error
		sem   = make(chan struct{}, width)
	)
	for _, u := range urls {
		select {
		case sem <- struct{}{}:
		case <-ctx.Done():
			mu.Lock()
			errs = append(errs, fmt.Errorf("%s: %w", u, ctx.Err()))
			mu.Unlock()
			continue
		}
		wg.Add(1)
		go func() {
			p, err := fetch(ctx, u)
			<-sem
			wg.Done()
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", u, err))
				return
			}
			pages[u] = p
		}()
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	return maps.Clone(pages), errors.Join(errs...)
}
