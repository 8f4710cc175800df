// Correct: the bucket is loaded, computed on and stored without a lock, but
// stored by CompareAndSwap on an immutable state; a lost race starts over.

// Package ok limits the rate of calls by key.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

// level is the content of a bucket at a time; it is never changed.
type level struct {
	tokens float64
	at     time.Time
}

func (l *level) refill(now time.Time, rate, burst float64) level {
	if !now.After(l.at) {
		return *l
	}
	return level{tokens: min(burst, l.tokens+rate*now.Sub(l.at).Seconds()), at: now}
}

type bucket struct {
	level atomic.Pointer[level]
}

type Limiter struct {
	rate  float64
	burst float64
	keys  sync.Map // string -> *bucket
}

func NewLimiter(rate, burst float64) *Limiter {
	return &Limiter{rate: rate, burst: burst}
}

func (l *Limiter) bucket(key string) *bucket {
	if b, ok := l.keys.Load(key); ok {
		return b.(*bucket)
	}
	b := new(bucket)
	b.level.Store(&level{tokens: l.burst, at: time.Now()})
	got, _ := l.keys.LoadOrStore(key, b)
	return got.(*bucket)
}

// Take takes n tokens of a key if there are as many.
func (l *Limiter) Take(key string, n float64) bool {
	b := l.bucket(key)
	for {
		old := b.level.Load()
		next := old.refill(time.Now(), l.rate, l.burst)
		if next.tokens < n {
			return false
		}
		next.tokens -= n
		if b.level.CompareAndSwap(old, &next) {
			return true
		}
	}
}

// GiveBack returns tokens of a call that was not made after all.
func (l *Limiter) GiveBack(key string, n float64) {
	b := l.bucket(key)
	for {
		old := b.level.Load()
		next := *old
		next.tokens = min(l.burst, next.tokens+n)
		if b.level.CompareAndSwap(old, &next) {
			return
		}
	}
}

// Delay tells how long it will take until n tokens are there, as things are.
func (l *Limiter) Delay(key string, n float64) time.Duration {
	now := l.bucket(key).level.Load().refill(time.Now(), l.rate, l.burst)
	if now.tokens >= n {
		return 0
	}
	return time.Duration((n - now.tokens) / l.rate * float64(time.Second))
}
