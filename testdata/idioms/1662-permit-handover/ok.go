package a

import (
	"container/list"
	"context"
	"sync"
)

// Limiter bounds the number of operations at the same time. Waiters are
// served in the order in which they came.
type Limiter struct {
	mu      sync.Mutex
	free    int
	waiters list.List // of chan struct{}
}

// NewLimiter returns a limiter for n operations.
func NewLimiter(n int) *Limiter {
	return &Limiter{free: n}
}

// Acquire waits for a permit.
func (l *Limiter) Acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.free > 0 {
		l.free--
		l.mu.Unlock()
		return nil
	}
	ready := make(chan struct{})
	e := l.waiters.PushBack(ready)
	l.mu.Unlock()

	select {
	case <-ready:
		return nil
	case <-ctx.Done():
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-ready:
		l.pass()
	default:
		l.waiters.Remove(e)
	}
	return ctx.Err()
}

// TryAcquire takes a permit if there is one.
func (l *Limiter) TryAcquire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free == 0 {
		return false
	}
	l.free--
	return true
}

// Release gives a permit back.
func (l *Limiter) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass()
}

// Waiting reports the number of callers that wait.
func (l *Limiter) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiters.Len()
}

// pass is called with mu held.
func (l *Limiter) pass() {
	if e := l.waiters.Front(); e != nil {
		l.waiters.Remove(e)
		close(e.Value.(chan struct{}))
		return
	}
	l.free++
}
