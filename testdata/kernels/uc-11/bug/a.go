package a

import (
	"hash/maphash"
	"sync"
	"time"
)

const shardCount = 16

// bucket holds the tokens of one client.
type bucket struct {
	tokens float64
	last   time.Time
}

type shard struct {
	mu      sync.Mutex
	buckets map[string]*bucket
}

// Limiter gives every client of an API its own token bucket. New clients
// begin with a full bucket.
type Limiter struct {
	rate   float64 // tokens per second
	burst  float64
	seed   maphash.Seed
	shards [shardCount]shard
}

// NewLimiter makes a limiter without clients.
func NewLimiter(rate, burst float64) *Limiter {
	l := &Limiter{rate: rate, burst: burst, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].buckets = make(map[string]*bucket)
	}
	return l
}

// with runs fn on the shard of a client, under its lock.
func (l *Limiter) with(client string, fn func(buckets map[string]*bucket)) {
	sh := &l.shards[maphash.String(l.seed, client)%shardCount]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	fn(sh.buckets)
}

// take refills a bucket and pays from it. The shard is locked.
func (l *Limiter) take(b *bucket, cost float64, now time.Time) bool {
	if d := now.Sub(b.last); d > 0 {
		b.tokens = min(l.burst, b.tokens+d.Seconds()*l.rate)
		b.last = now
	}
	if b.tokens < cost {
		return false
	}
	b.tokens -= cost
	return true
}

// Allow says whether a client may spend cost tokens now.
func (l *Limiter) Allow(client string, cost float64) bool {
	now := time.Now()
	var known, ok bool
	l.with(client, func(buckets map[string]*bucket) {
		if b := buckets[client]; b != nil {
			known = true
			ok = l.take(b, cost, now)
		}
	})
	if known {
		return ok
	}
	b := &bucket{tokens: l.burst, last: now}
	l.with(client, func(buckets map[string]*bucket) {
		buckets[client] = b
		ok = l.take(b, cost, now)
	})
	return ok
}

// Remaining returns the tokens a client had when it was last seen.
func (l *Limiter) Remaining(client string) float64 {
	tokens := l.burst
	l.with(client, func(buckets map[string]*bucket) {
		if b := buckets[client]; b != nil {
			tokens = b.tokens
		}
	})
	return tokens
}

// Sweep drops the clients whose bucket has filled up again; they are as good
// as new.
func (l *Limiter) Sweep(now time.Time) int {
	n := 0
	for i := range l.shards {
		sh := &l.shards[i]
		sh.mu.Lock()
		for client, b := range sh.buckets {
			if b.tokens+now.Sub(b.last).Seconds()*l.rate >= l.burst {
				delete(sh.buckets, client)
				n++
			}
		}
		sh.mu.Unlock()
	}
	return n
}
