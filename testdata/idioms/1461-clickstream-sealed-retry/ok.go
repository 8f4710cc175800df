package a

import (
	"context"
	"errors"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned after the collector has been closed.
var ErrClosed = errors.New("clicks: closed")

// Click is what somebody has clicked on.
type Click struct {
	At     time.Time
	Target string
}

// Warehouse loads batches.
type Warehouse interface {
	Load(ctx context.Context, batch []Click) error
}

type batch struct {
	mu     sync.Mutex
	sealed bool
	clicks []Click
}

// add reports false when the batch does not take clicks any more.
func (b *batch) add(c Click) (n int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed {
		return 0, false
	}
	b.clicks = append(b.clicks, c)
	return len(b.clicks), true
}

// seal returns the clicks, which nobody changes any more.
func (b *batch) seal() []Click {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sealed = true
	return b.clicks
}

// Collector gathers clicks and loads them in batches.
type Collector struct {
	wh   Warehouse
	size int

	current atomic.Pointer[batch] // nil when closed
	full    chan struct{}
}

func newCollector(wh Warehouse, size int) *Collector {
	c := &Collector{wh: wh, size: size, full: make(chan struct{}, 1)}
	c.current.Store(new(batch))
	return c
}

// Add puts a click into the current batch.
func (c *Collector) Add(click Click) error {
	for {
		b := c.current.Load()
		if b == nil {
			return ErrClosed
		}
		n, ok := b.add(click)
		if !ok {
			continue
		}
		if n >= c.size {
			select {
			case c.full <- struct{}{}:
			default:
			}
		}
		return nil
	}
}

func (c *Collector) load(ctx context.Context, b *batch) {
	clicks := b.seal()
	if len(clicks) == 0 {
		return
	}
	if err := c.wh.Load(ctx, clicks); err != nil {
		log.Printf("clicks: %d lost: %v", len(clicks), err)
	}
}

// run loads a batch when it is full or old, and the last one when ctx ends.
func (c *Collector) run(ctx context.Context, age time.Duration) {
	t := time.NewTicker(age)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			c.load(context.WithoutCancel(ctx), c.current.Swap(nil))
			return
		case <-c.full:
		case <-t.C:
		}
		c.load(ctx, c.current.Swap(new(batch)))
	}
}

// Start makes a collector that works until ctx ends; done is closed then.
func Start(ctx context.Context, wh Warehouse) (c *Collector, done <-chan struct{}) {
	c = newCollector(wh, 1000)
	end := make(chan struct{})
	go func() {
		defer close(end)
		c.run(ctx, 10*time.Second)
	}()
	return c, end
}

func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := c.Add(Click{At: time.Now(), Target: r.FormValue("t")}); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}
