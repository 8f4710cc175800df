package a

import (
	"context"
	"sync"
	"time"
)

type health struct {
	rev      uint64
	failures int
	paused   bool
	next     time.Time
}

// Policy decides how long to wait after n failures; it may ask a remote
// configuration service.
type Policy func(ctx context.Context, url string, n int) (time.Duration, error)

// Backoff keeps the delivery state of the webhook targets.
type Backoff struct {
	policy Policy

	mu      sync.Mutex
	lastRev uint64
	targets map[string]health
}

func NewBackoff(p Policy) *Backoff {
	return &Backoff{policy: p, targets: make(map[string]health)}
}

// put is called with b.mu held.
func (b *Backoff) put(url string, h health) {
	b.lastRev++
	h.rev = b.lastRev
	b.targets[url] = h
}

// Add enters a target.
func (b *Backoff) Add(url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.targets[url]; !ok {
		b.put(url, health{})
	}
}

// Remove forgets a target.
func (b *Backoff) Remove(url string) {
	b.mu.Lock()
	delete(b.targets, url)
	b.mu.Unlock()
}

// Pause switches deliveries to a target off or on.
func (b *Backoff) Pause(url string, on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h, ok := b.targets[url]; ok {
		h.paused = on
		b.put(url, h)
	}
}

func (b *Backoff) get(url string) (health, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h, ok := b.targets[url]
	return h, ok
}

func (b *Backoff) swap(url string, rev uint64, h health) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cur, ok := b.targets[url]; !ok || cur.rev != rev {
		return false
	}
	b.put(url, h)
	return true
}

// Failed counts a failed delivery and sets the time of the next one.
func (b *Backoff) Failed(ctx context.Context, url string) error {
	for {
		h, ok := b.get(url)
		if !ok {
			return nil
		}
		wait, err := b.policy(ctx, url, h.failures+1)
		if err != nil {
			return err
		}
		rev := h.rev
		h.failures++
		h.next = time.Now().Add(wait)
		if b.swap(url, rev, h) {
			return nil
		}
	}
}

// Ready reports whether a delivery may be tried now.
func (b *Backoff) Ready(url string) bool {
	h, ok := b.get(url)
	return ok && !h.paused && !time.Now().Before(h.next)
}
