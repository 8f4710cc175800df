// Package bug limits the rate of requests per client.
package bug

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var ErrConfig = errors.New("limiter: rate and burst must be positive")

// Config says how many requests a client may make.
type Config struct {
	PerSecond float64
	Burst     float64
	Sweep     time.Duration
}

// bucket holds the tokens of one client.
type bucket struct {
	mu     sync.Mutex
	tokens float64
	last   time.Time
}

func (b *bucket) refillLocked(c Config, now time.Time) {
	if d := now.Sub(b.last); d > 0 {
		b.tokens = min(c.Burst, b.tokens+d.Seconds()*c.PerSecond)
		b.last = now
	}
}

func (b *bucket) take(c Config, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(c, now)
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// full tells whether the bucket is just like a new one.
func (b *bucket) full(c Config, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillLocked(c, now)
	return b.tokens >= c.Burst
}

// Limiter has a bucket for each client that was seen lately.
type Limiter struct {
	cfg     Config
	buckets sync.Map // string -> *bucket
	denied  atomic.Int64
	swept   atomic.Int64
}

func New(ctx context.Context, cfg Config) (*Limiter, error) {
	if cfg.PerSecond <= 0 || cfg.Burst < 1 || cfg.Sweep <= 0 {
		return nil, ErrConfig
	}
	l := &Limiter{cfg: cfg}
	go l.run(ctx)
	return l, nil
}

func (l *Limiter) run(ctx context.Context) {
	t := time.NewTicker(l.cfg.Sweep)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			l.sweep(now)
		case <-ctx.Done():
			return
		}
	}
}

func (l *Limiter) bucket(client string, now time.Time) *bucket {
	if b, ok := l.buckets.Load(client); ok {
		return b.(*bucket)
	}
	b, _ := l.buckets.LoadOrStore(client, &bucket{tokens: l.cfg.Burst, last: now})
	return b.(*bucket)
}

// Allow tells whether a client may make a request now.
func (l *Limiter) Allow(client string) bool {
	now := time.Now()
	b := l.bucket(client, now)
	if !b.take(l.cfg, now) {
		l.denied.Add(1)
		return false
	}
	return true
}

// sweep forgets the clients whose buckets have filled up again.
func (l *Limiter) sweep(now time.Time) {
	l.buckets.Range(func(client, v any) bool {
		b := v.(*bucket)
		if b.full(l.cfg, now) {
			l.buckets.Delete(client)
			l.swept.Add(1)
		}
		return true
	})
}

// Wrap puts the limiter in front of a handler.
func (l *Limiter) Wrap(client func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.Allow(client(r)) {
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Denied counts the requests that were turned away.
func (l *Limiter) Denied() int64 { return l.denied.Load() }
