// Package ok watches the health of backends.
package ok

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Target is a backend. Requests and the checker use it at the same time.
type Target struct {
	URL string

	down     atomic.Bool
	requests atomic.Int64
	recent   atomic.Int64 // failed requests that are not forgotten yet

	// used by the checker only, which looks at a target once per round
	passes, fails atomic.Int64
}

// setDown returns whether the state was changed by this call.
func (t *Target) setDown(v bool) bool { return t.down.CompareAndSwap(!v, v) }

// Usable reports whether a request may be sent.
func (t *Target) Usable(maxRecent int64) bool {
	return !t.down.Load() && t.recent.Load() < maxRecent
}

// Checker asks the targets regularly.
type Checker struct {
	Targets    []*Target
	NeedPasses int64
	NeedFails  int64
	Forget     time.Duration
	Notify     func(t *Target, down bool)

	client *http.Client
}

// NewChecker returns a checker with defaults.
func NewChecker(ts []*Target, notify func(*Target, bool)) *Checker {
	return &Checker{
		Targets: ts, NeedPasses: 1, NeedFails: 3, Forget: 30 * time.Second,
		Notify: notify, client: &http.Client{Timeout: 5 * time.Second},
	}
}

// Run checks until ctx ends.
func (c *Checker) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		c.round(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (c *Checker) round(ctx context.Context) {
	var wg sync.WaitGroup
	for _, t := range c.Targets {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.check(ctx, t)
		}()
	}
	wg.Wait()
}

func (c *Checker) check(ctx context.Context, t *Target) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return
	}
	res, err := c.client.Do(req)
	if ctx.Err() != nil {
		if err == nil {
			res.Body.Close()
		}
		return
	}
	ok := err == nil && res.StatusCode < 400
	if err == nil {
		res.Body.Close()
	}
	if ok {
		t.fails.Store(0)
		if t.passes.Load() < c.NeedPasses {
			t.passes.Add(1)
		}
		if t.passes.Load() >= c.NeedPasses && t.setDown(false) {
			c.Notify(t, false)
		}
		return
	}
	t.passes.Store(0)
	if t.fails.Load() < c.NeedFails {
		t.fails.Add(1)
	}
	if t.fails.Load() >= c.NeedFails && t.setDown(true) {
		c.Notify(t, true)
	}
}

// Begin counts a request; the returned function tells how it ended.
func (c *Checker) Begin(t *Target) func(failed bool) {
	t.requests.Add(1)
	return func(failed bool) {
		t.requests.Add(-1)
		if !failed {
			return
		}
		t.recent.Add(1)
		time.AfterFunc(c.Forget, func() { t.recent.Add(-1) })
	}
}
