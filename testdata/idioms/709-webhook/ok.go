// Package webhook posts events to hooks with one worker for each.
package webhook

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrDisabled is returned for hooks which failed for too long.
var ErrDisabled = errors.New("webhook: disabled")

// Post sends a body to a URL.
type Post func(ctx context.Context, url string, body []byte) error

// Hook is one target.
type Hook struct {
	url   string
	post  Post
	limit int
	wake  chan struct{}

	mu       sync.Mutex
	queue    [][]byte
	failures int
	epoch    int
	disabled bool
}

// Start returns a hook whose worker runs until ctx is done.
func Start(ctx context.Context, url string, limit int, post Post) *Hook {
	h := &Hook{url: url, post: post, limit: limit, wake: make(chan struct{}, 1)}
	go h.run(ctx)
	return h
}

func (h *Hook) signal() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Enqueue queues a body.
func (h *Hook) Enqueue(body []byte) error {
	h.mu.Lock()
	if h.disabled {
		h.mu.Unlock()
		return ErrDisabled
	}
	h.queue = append(h.queue, body)
	h.mu.Unlock()
	h.signal()
	return nil
}

func (h *Hook) head() ([]byte, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.disabled || len(h.queue) == 0 {
		return nil, false
	}
	return h.queue[0], true
}

// shift removes the head; nobody but the worker removes.
func (h *Hook) shift() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue[0] = nil
	h.queue = h.queue[1:]
}

func (h *Hook) health() (failures, epoch int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures, h.epoch
}

// setFailures stores a count which was derived in an epoch.
func (h *Hook) setFailures(n, epoch int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.epoch != epoch {
		return
	}
	h.failures = n
	h.disabled = n >= h.limit
}

func (h *Hook) run(ctx context.Context) {
	for {
		body, ok := h.head()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-h.wake:
			}
			continue
		}
		failures, epoch := h.health()
		if err := h.post(ctx, h.url, body); err != nil {
			failures++
			h.setFailures(failures, epoch)
			if !sleep(ctx, backoff(failures)) {
				return
			}
			continue
		}
		h.shift()
		if failures > 0 {
			h.setFailures(0, epoch)
		}
	}
}

func backoff(failures int) time.Duration {
	return min(time.Minute, 100*time.Millisecond<<min(failures, 10))
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Reset enables a hook again; it is for operators.
func (h *Hook) Reset() {
	h.mu.Lock()
	h.epoch++
	h.failures = 0
	h.disabled = false
	h.mu.Unlock()
	h.signal()
}

// Status is what the dashboard shows.
type Status struct {
	Queued   int
	Failures int
	Disabled bool
}

// Status returns the state of the hook.
func (h *Hook) Status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Status{Queued: len(h.queue), Failures: h.failures, Disabled: h.disabled}
}

// Hooks are the hooks of a customer.
type Hooks struct {
	mu    sync.RWMutex
	hooks map[string]*Hook
}

// Ensure returns the hook of a URL, starting it when it is new.
func (hs *Hooks) Ensure(ctx context.Context, url string, limit int, post Post) *Hook {
	hs.mu.RLock()
	h := hs.hooks[url]
	hs.mu.RUnlock()
	if h != nil {
		return h
	}
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if h := hs.hooks[url]; h != nil {
		return h
	}
	if hs.hooks == nil {
		hs.hooks = make(map[string]*Hook)
	}
	h = Start(ctx, url, limit, post)
	hs.hooks[url] = h
	return h
}
