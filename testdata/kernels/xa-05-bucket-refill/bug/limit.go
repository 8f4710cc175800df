// Package apilimit throttles the callers of the public API with token buckets.
package apilimit

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Plan says how much a caller may do.
type Plan struct {
	Burst   int64 // tokens a full bucket holds
	PerTick int64 // tokens added with every tick
}

// Bucket holds the tokens of one caller. It is used on the request path and
// takes no locks.
type Bucket struct {
	plan     Plan
	tokens   atomic.Int64
	rejected atomic.Int64
}

func newBucket(p Plan) *Bucket {
	b := &Bucket{plan: p}
	b.tokens.Store(p.Burst)
	return b
}

// Take removes n tokens and reports whether there were as many.
func (b *Bucket) Take(n int64) bool {
	for {
		cur := b.tokens.Load()
		if cur < n {
			b.rejected.Add(1)
			return false
		}
		if b.tokens.CompareAndSwap(cur, cur-n) {
			return true
		}
	}
}

// refill adds the tokens of one tick, up to the burst of the plan.
func (b *Bucket) refill() {
	next := b.tokens.Load() + b.plan.PerTick
	if next > b.plan.Burst {
		next = b.plan.Burst
	}
	b.tokens.Store(next)
}

// Remaining returns the tokens left.
func (b *Bucket) Remaining() int64 { return b.tokens.Load() }

// Limiter keeps a bucket for every caller.
type Limiter struct {
	plan Plan

	mu      sync.RWMutex
	buckets map[string]*Bucket
}

// NewLimiter returns a Limiter that gives every caller the same plan.
func NewLimiter(p Plan) *Limiter {
	return &Limiter{plan: p, buckets: make(map[string]*Bucket)}
}

// bucket returns the bucket of caller.
func (l *Limiter) bucket(caller string) *Bucket {
	l.mu.RLock()
	b, ok := l.buckets[caller]
	l.mu.RUnlock()
	if ok {
		return b
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[caller]; ok {
		return b
	}
	b = newBucket(l.plan)
	l.buckets[caller] = b
	return b
}

// Allow reports whether caller may spend cost tokens now.
func (l *Limiter) Allow(caller string, cost int64) bool {
	return l.bucket(caller).Take(cost)
}

// tick refills all buckets.
func (l *Limiter) tick() {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, b := range l.buckets {
		b.refill()
	}
}

// Run refills the buckets until ctx ends. It is started once, by the server.
func (l *Limiter) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			l.tick()
		}
	}
}

// Middleware rejects the requests of callers that are out of tokens.
func (l *Limiter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := r.Header.Get("X-Api-Key")
		cost := int64(1)
		if r.Method != http.MethodGet {
			cost = 5
		}
		if !l.Allow(caller, cost) {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("X-Ratelimit-Limit", strconv.FormatInt(l.plan.Burst, 10))
		next.ServeHTTP(w, r)
	})
}

// Rejected returns how many requests of caller were turned down.
func (l *Limiter) Rejected(caller string) int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if b, ok := l.buckets[caller]; ok {
		return b.rejected.Load()
	}
	return 0
}
