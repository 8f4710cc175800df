// Package scrape collects metrics from the nodes of a cluster.
package scrape

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Reading is what one node reports.
type Reading struct {
	Node     string
	Requests int64
	Errors   int64
}

// Target can be scraped.
type Target interface {
	Name() string
	Read(ctx context.Context) (Reading, error)
}

// Summary is a cluster-wide view.
type Summary struct {
	Nodes     int
	Requests  int64
	ErrorRate float64
	MeanLoad  float64
	Failed    error
}

type collection struct {
	mu       sync.Mutex
	readings map[string]Reading
	errs     []error
}

func (c *collection) add(r Reading) {
	c.mu.Lock()
	c.readings[r.Node] = r
	c.mu.Unlock()
}

func (c *collection) fail(err error) {
	c.mu.Lock()
	c.errs = append(c.errs, err)
	c.mu.Unlock()
}

func (c *collection) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.readings)
}

func (c *collection) totals() (requests, failures int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.readings {
		requests += r.Requests
		failures += r.Errors
	}
	return requests, failures
}

func (c *collection) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.errs...)
}

// Scraper scrapes targets.
type Scraper struct {
	targets []Target
	timeout time.Duration
	slots   chan struct{}
}

// New returns a scraper that reads at most parallel targets at once.
func New(targets []Target, parallel int, timeout time.Duration) *Scraper {
	return &Scraper{
		targets: append([]Target(nil), targets...),
		timeout: timeout,
		slots:   make(chan struct{}, parallel),
	}
}

func (s *Scraper) one(ctx context.Context, t Target, into *collection) {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r, err := t.Read(ctx)
	if err != nil {
		into.fail(fmt.Errorf("scrape: %s: %w", t.Name(), err))
		return
	}
	r.Node = t.Name()
	into.add(r)
}

// Scrape reads all targets and sums up.
func (s *Scraper) Scrape(ctx context.Context) Summary {
	got := &collection{readings: make(map[string]Reading)}
	var wg sync.WaitGroup
	for _, t := range s.targets {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.one(ctx, t, got)
		}()
	}
	wg.Wait()

	sum := Summary{Nodes: got.count(), Failed: got.err()}
	if sum.Nodes == 0 {
		return sum
	}
	requests, failures := got.totals()
	sum.Requests = requests
	sum.MeanLoad = float64(requests) / float64(got.count())
	if requests > 0 {
		sum.ErrorRate = float64(failures) / float64(requests)
	}
	return sum
}
