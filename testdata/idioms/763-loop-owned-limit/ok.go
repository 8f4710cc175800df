// Package aimd adapts the concurrency of a proxy to observed latency.
package aimd

import (
	"sync"
	"time"
)

// Settings are the current limits.
type Settings struct {
	Limit   int
	Changed time.Time
	Drops   int
}

type sample struct {
	latency time.Duration
	failed  bool
}

// Controller computes the limit from reported samples.
type Controller struct {
	min, max int
	target   time.Duration
	window   time.Duration

	samples chan sample
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once

	mu  sync.RWMutex
	cur Settings
}

// Start returns a running controller.
func Start(min, max int, target, window time.Duration) *Controller {
	c := &Controller{
		min:     min,
		max:     max,
		target:  target,
		window:  window,
		samples: make(chan sample, 256),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
		cur:     Settings{Limit: min, Changed: time.Now()},
	}
	go c.loop()
	return c
}

// Report adds an observation; it never blocks.
func (c *Controller) Report(latency time.Duration, err error) {
	select {
	case c.samples <- sample{latency: latency, failed: err != nil}:
	default:
	}
}

// Settings returns the current limits.
func (c *Controller) Settings() Settings {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cur
}

// Stop ends the controller and waits for it.
func (c *Controller) Stop() {
	c.once.Do(func() { close(c.stop) })
	<-c.stopped
}

func (c *Controller) loop() {
	defer close(c.stopped)
	t := time.NewTicker(c.window)
	defer t.Stop()
	var batch []sample
	for {
		select {
		case <-c.stop:
			return
		case s := <-c.samples:
			batch = append(batch, s)
		case now := <-t.C:
			c.adjust(now, batch)
			batch = batch[:0]
		}
	}
}

func (c *Controller) adjust(now time.Time, batch []sample) {
	if len(batch) == 0 {
		return
	}
	next := c.Settings()

	var sum time.Duration
	failed := 0
	for _, s := range batch {
		sum += s.latency
		if s.failed {
			failed++
		}
	}
	mean := sum / time.Duration(len(batch))
	switch {
	case failed*10 > len(batch) || mean > c.target:
		next.Limit = max(c.min, next.Limit*3/4)
		next.Drops++
	case next.Limit < c.max:
		next.Limit++
	default:
		return
	}
	next.Changed = now

	c.mu.Lock()
	c.cur = next
	c.mu.Unlock()
}
