package ratelimit

import (
	"sync"
	"sync/atomic"
	"time"
)

type Bucket struct {
	tokens   atomic.Int64
	capacity int64
	quota    int64
	stop     chan struct{}
	stopOnce sync.Once
}

func NewBucket(capacity, quota int64, every time.Duration) *Bucket {
	b := &Bucket{capacity: capacity, quota: quota, stop: make(chan struct{})}
	b.tokens.Store(capacity)
	go b.run(every)
	return b
}

func (b *Bucket) run(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.refill()
		case <-b.stop:
			return
		}
	}
}

func (b *Bucket) refill() {
	for {
		n := b.tokens.Load()
		if n >= b.capacity {
			return
		}
		if b.tokens.CompareAndSwap(n, min(n+b.quota, b.capacity)) {
			return
		}
	}
}

func (b *Bucket) Allow(cost int64) bool {
	for {
		have := b.tokens.Load()
		if have < cost {
			return false
		}
		if b.tokens.CompareAndSwap(have, have-cost) {
			return true
		}
	}
}

func (b *Bucket) Refund(cost int64) { b.tokens.Add(cost) }

func (b *Bucket) Available() int64 { return b.tokens.Load() }

func (b *Bucket) Close() { b.stopOnce.Do(func() { close(b.stop) }) }
