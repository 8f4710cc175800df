package ratelimiter

import (
	"sync"
	"sync/atomic"
	"time"
)

var timerPool sync.Pool

func getTimer(d time.Duration) *time.Timer {
	if v := timerPool.Get(); v != nil {
		t := v.(*time.Timer)
		t.Reset(d)
		return t
	}
	return time.NewTimer(d)
}

func putTimer(t *time.Timer) {
	t.Stop()
	timerPool.Put(t)
}

// RateLimiter limits per-second rate of arbitrary resources.
//
// Call Register() for registering the given amounts of resources.
type RateLimiter struct {
	// perSecondLimit is the per-second limit of resources.
	perSecondLimit int64

	// stopCh is used for unblocking rate limiting.
	stopCh <-chan struct{}

	// mu protects budget and deadline from concurrent access.
	mu sync.Mutex

	// The current budget. It is increased by perSecondLimit every second.
	budget int64

	// The next deadline for increasing the budget by perSecondLimit.
	deadline time.Time

	// limitReached is a counter, which is increased every time the limit is reached.
	limitReached atomic.Int64
}

// New creates new rate limiter with the given perSecondLimit.
//
// stopCh is used for unblocking Register() calls when the rate limiter is no longer needed.
func New(perSecondLimit int64, stopCh <-chan struct{}) *RateLimiter {
	return &RateLimiter{
		perSecondLimit: perSecondLimit,
		stopCh:         stopCh,
	}
}

// Register registers count resources.
//
// Register blocks if the given per-second rate limit is exceeded.
// It may be forcibly unblocked by closing stopCh passed to New().
func (rl *RateLimiter) Register(count int) {
	if rl == nil {
		return
	}

	limit := rl.perSecondLimit
	if limit <= 0 {
		return
	}

	rl.mu.Lock()
	defer rl.mu.Unlock()

	for rl.budget <= 0 {
		if d := time.Until(rl.deadline); d > 0 {
			rl.limitReached.Add(1)
			t := getTimer(d)
			select {
			case <-rl.stopCh:
				putTimer(t)
				return
			case <-t.C:
				putTimer(t)
			}
		}
		rl.budget += limit
		rl.deadline = time.Now().Add(time.Second)
	}
	rl.budget -= int64(count)
}

type client struct {
	rl     *RateLimiter
	stopCh chan struct{}
	wg     sync.WaitGroup
	blocks chan []byte
	send   func(b []byte) error
}

// NewClient starts the workers that send the blocks.
func NewClient(concurrency int, bytesPerSec int64, send func(b []byte) error) *client {
	c := &client{stopCh: make(chan struct{}), blocks: make(chan []byte), send: send}
	c.rl = New(bytesPerSec, c.stopCh)
	for i := 0; i < concurrency; i++ {
		c.wg.Add(1)
		go func() {
			defer c.wg.Done()
			for {
				select {
				case <-c.stopCh:
					return
				case b := <-c.blocks:
					c.rl.Register(len(b))
					_ = c.send(b)
				}
			}
		}()
	}
	return c
}

func (c *client) MustStop() {
	close(c.stopCh)
	c.wg.Wait()
}
