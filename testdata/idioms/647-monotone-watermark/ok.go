// Package trim removes the part of a stream that all consumers have passed.
package trim

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// ErrDuplicate is returned for a consumer name that is in use.
var ErrDuplicate = errors.New("trim: consumer exists")

// Backend holds the data.
type Backend interface {
	TrimBefore(offset int64) error
}

// raise sets v to at least n and reports whether it grew.
func raise(v *atomic.Int64, n int64) bool {
	for {
		cur := v.Load()
		if n <= cur {
			return false
		}
		if v.CompareAndSwap(cur, n) {
			return true
		}
	}
}

// Consumer is the position of one reader.
type Consumer struct {
	name string
	pos  atomic.Int64
}

// Ack says that everything before offset has been handled.
func (c *Consumer) Ack(offset int64) { raise(&c.pos, offset) }

// Position returns the acknowledged offset.
func (c *Consumer) Position() int64 { return c.pos.Load() }

// Trimmer follows the slowest consumer.
type Trimmer struct {
	backend Backend
	end     atomic.Int64
	safe    atomic.Int64

	mu        sync.RWMutex
	consumers map[string]*Consumer
}

// New returns a trimmer without consumers.
func New(b Backend) *Trimmer {
	return &Trimmer{backend: b, consumers: make(map[string]*Consumer)}
}

// Written notes the end of the stream.
func (t *Trimmer) Written(end int64) { raise(&t.end, end) }

// Join adds a consumer at the end of the stream.
func (t *Trimmer) Join(name string) (*Consumer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.consumers[name]; ok {
		return nil, ErrDuplicate
	}
	c := &Consumer{name: name}
	c.pos.Store(t.end.Load())
	t.consumers[name] = c
	return c, nil
}

// Leave removes a consumer.
func (t *Trimmer) Leave(c *Consumer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.consumers[c.name] == c {
		delete(t.consumers, c.name)
	}
}

// lowest returns the lowest position; without consumers it is the end.
func (t *Trimmer) lowest() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	low := t.end.Load()
	for _, c := range t.consumers {
		low = min(low, c.Position())
	}
	return low
}

// Safe returns the offset before which nothing is needed.
func (t *Trimmer) Safe() int64 { return t.safe.Load() }

// Trim removes what is not needed any more.
func (t *Trimmer) Trim() error {
	low := t.lowest()
	if !raise(&t.safe, low) {
		return nil
	}
	return t.backend.TrimBefore(low)
}

// Run trims every interval until ctx ends.
func (t *Trimmer) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := t.Trim(); err != nil {
				slog.Warn("trim", "safe", t.Safe(), "err", err)
			}
		}
	}
}
