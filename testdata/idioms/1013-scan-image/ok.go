// Package scan is the cyclic executive of a soft PLC.
package scan

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrStopped is returned when the controller does not scan any more.
var ErrStopped = errors.New("scan: stopped")

// Image holds the values of the tags.
type Image struct {
	mu     sync.RWMutex
	values map[string]float64
	retain map[string]bool
}

func newImage() *Image {
	return &Image{values: make(map[string]float64), retain: make(map[string]bool)}
}

// Get returns the value of a tag.
func (m *Image) Get(tag string) (float64, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.values[tag]
	return v, ok
}

// Set writes a tag.
func (m *Image) Set(tag string, v float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[tag] = v
}

func (m *Image) setRetain(tag string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retain[tag] = true
}

func (m *Image) retained() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	tags := make([]string, 0, len(m.retain))
	for t := range m.retain {
		tags = append(tags, t)
	}
	return tags
}

// Tag declares a tag of a program.
type Tag struct {
	Name    string
	Initial float64
	Retain  bool // keeps its value over a program change
}

// Program is what runs in every cycle. Cycle must not keep the image.
type Program struct {
	Tags  []Tag
	Cycle func(*Image)
}

type loaded struct {
	image *Image
	cycle func(*Image)
}

// Controller runs a program; panels read its tags at any time.
type Controller struct {
	cur   atomic.Pointer[loaded]
	swaps chan *loaded
	done  chan struct{}
}

// Start runs an empty program until the context ends.
func Start(ctx context.Context, period time.Duration) *Controller {
	c := &Controller{swaps: make(chan *loaded), done: make(chan struct{})}
	c.cur.Store(&loaded{image: newImage(), cycle: func(*Image) {}})
	go c.run(ctx, period)
	return c
}

// Read returns the value of a tag.
func (c *Controller) Read(tag string) (float64, bool) {
	return c.cur.Load().image.Get(tag)
}

// Download replaces the running program between two cycles.
func (c *Controller) Download(ctx context.Context, p Program) error {
	img := newImage()
	for _, t := range p.Tags {
		if _, dup := img.Get(t.Name); dup {
			return fmt.Errorf("scan: tag %s declared twice", t.Name)
		}
		img.Set(t.Name, t.Initial)
		if t.Retain {
			img.setRetain(t.Name)
		}
	}
	select {
	case c.swaps <- &loaded{image: img, cycle: p.Cycle}:
		return nil
	case <-c.done:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run owns the values: cycles and program changes happen here only.
func (c *Controller) run(ctx context.Context, period time.Duration) {
	defer close(c.done)
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-c.swaps:
			c.change(next)
		case <-tick.C:
			l := c.cur.Load()
			l.cycle(l.image)
		}
	}
}

func (c *Controller) change(next *loaded) {
	old := c.cur.Load()
	for _, tag := range next.image.retained() {
		if v, ok := old.image.Get(tag); ok {
			next.image.Set(tag, v)
		}
	}
	c.cur.Store(next)
}
