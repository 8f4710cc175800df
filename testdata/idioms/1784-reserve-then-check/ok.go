// Package a limits the requests that are under way.
package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrOverload = errors.New("admission: too many bytes in flight")
	ErrDraining = errors.New("admission: draining")
	ErrTooLarge = errors.New("admission: request larger than the limit")
)

// Limiter admits requests by size. It may refuse at the edge of the limit
// when several requests arrive at once, but it never admits too much.
type Limiter struct {
	name  string
	limit int64
	bytes atomic.Int64 // admitted, and for a moment those about to be refused

	mu       sync.Mutex
	draining bool
	active   int
	drained  chan struct{} // closed when draining and nothing is active

	admitted atomic.Int64
	refused  atomic.Int64
}

// NewLimiter admits up to limit bytes.
func NewLimiter(name string, limit int64) *Limiter {
	return &Limiter{name: name, limit: limit, drained: make(chan struct{})}
}

// Admit reserves n bytes. The returned function gives them back; it does so
// once, however often it is called.
func (l *Limiter) Admit(n int64) (release func(), err error) {
	if n > l.limit {
		l.refused.Add(1)
		return nil, ErrTooLarge
	}
	if l.bytes.Add(n) > l.limit {
		l.bytes.Add(-n)
		l.refused.Add(1)
		return nil, ErrOverload
	}

	l.mu.Lock()
	if l.draining {
		l.mu.Unlock()
		l.bytes.Add(-n)
		l.refused.Add(1)
		return nil, ErrDraining
	}
	l.active++
	l.mu.Unlock()
	l.admitted.Add(1)

	var once sync.Once
	return func() { once.Do(func() { l.done(n) }) }, nil
}

// done ends an admitted request.
func (l *Limiter) done(n int64) {
	l.bytes.Add(-n)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	if l.draining && l.active == 0 {
		close(l.drained)
	}
}

// Drain refuses new requests and waits for those under way.
func (l *Limiter) Drain(ctx context.Context) error {
	l.mu.Lock()
	if !l.draining {
		l.draining = true
		if l.active == 0 {
			close(l.drained)
		}
	}
	l.mu.Unlock()
	select {
	case <-l.drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Report logs the load from time to time. The figures are of different
// moments, which does not matter in a log.
func (l *Limiter) Report(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if b := l.bytes.Load(); b > l.limit/2 {
			log.Printf("admission: %s at %d of %d bytes, %d refused", l.name, b, l.limit, l.refused.Load())
		}
	}
}

// Active is the number of requests under way.
func (l *Limiter) Active() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.active
}
