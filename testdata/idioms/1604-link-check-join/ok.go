// Package a checks the links of a documentation site.
package a

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
)

// report collects the results of the checkers.
type report struct {
	mu      sync.Mutex
	checked int
	broken  []string
}

func (r *report) ok() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checked++
}

func (r *report) fail(url string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checked++
	r.broken = append(r.broken, fmt.Sprintf("%s: %v", url, err))
}

func (r *report) total() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.checked
}

func (r *report) failures() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.broken)
}

// Checker requests links.
type Checker struct {
	Client  *http.Client
	Workers int
}

func (c *Checker) one(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("status %s", resp.Status)
	}
	return nil
}

// Check requests all urls and writes a summary to w.
func (c *Checker) Check(ctx context.Context, w io.Writer, urls []string) error {
	var (
		rep  report
		wg   sync.WaitGroup
		work = make(chan string)
	)
	for range c.Workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for u := range work {
				if err := c.one(ctx, u); err != nil {
					rep.fail(u, err)
				} else {
					rep.ok()
				}
			}
		}()
	}
	for _, u := range urls {
		work <- u
	}
	close(work)
	wg.Wait()

	bad := rep.failures()
	if len(bad) == 0 {
		_, err := fmt.Fprintf(w, "%d links ok\n", rep.total())
		return err
	}
	slices.Sort(bad)
	for _, b := range bad {
		fmt.Fprintln(w, b)
	}
	return fmt.Errorf("%d of %d links are broken (%d%%)", len(bad), rep.total(), 100*len(bad)/rep.total())
}
