// Package bug keeps the last sample of each series per interval.
package bug

import (
	"hash/maphash"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Sample is one value of a series.
type Sample struct {
	Key       string
	Timestamp int64
	Value     float64
}

const shardsCount = 32

var seed = maphash.MakeSeed()

type shard struct {
	mu   sync.Mutex
	data map[string]Sample
}

type shardedMap struct {
	shards [shardsCount]shard
}

func newShardedMap() *shardedMap {
	sm := &shardedMap{}
	for i := range sm.shards {
		sm.shards[i].data = make(map[string]Sample)
	}
	return sm
}

func (sm *shardedMap) getShard(key string) *shard {
	return &sm.shards[maphash.String(seed, key)%shardsCount]
}

// Deduplicator passes one sample per series and interval to push.
type Deduplicator struct {
	current  atomic.Pointer[shardedMap]
	interval time.Duration
	push     func([]Sample)
	stopCh   chan struct{}
	wg       sync.WaitGroup
}

// NewDeduplicator starts a deduplicator, which must be stopped with MustStop.
func NewDeduplicator(interval time.Duration, push func([]Sample)) *Deduplicator {
	d := &Deduplicator{interval: interval, push: push, stopCh: make(chan struct{})}
	d.current.Store(newShardedMap())
	d.run()
	return d
}

func (d *Deduplicator) run() {
	d.wg.Add(1)
	go func() {
		defer d.wg.Done()
		t := time.NewTicker(d.interval)
		defer t.Stop()
		for {
			select {
			case <-d.stopCh:
				return
			case <-t.C:
				d.flush()
			}
		}
	}()
}

// MustStop flushes what is left. Push must not be called any more.
func (d *Deduplicator) MustStop() {
	close(d.stopCh)
	d.wg.Wait()
	d.flush()
}

// Push adds samples. It may be called from many goroutines.
func (d *Deduplicator) Push(samples []Sample) {
	for i := range samples {
		d.pushSample(samples[i])
	}
}

func (d *Deduplicator) pushSample(s Sample) {
	sm := d.current.Load()
	sh := sm.getShard(s.Key)
	sh.mu.Lock()
	last, ok := sh.data[s.Key]
	if !ok || s.Timestamp > last.Timestamp || (s.Timestamp == last.Timestamp && s.Value > last.Value) {
		sh.data[s.Key] = s
	}
	sh.mu.Unlock()
}

// flush starts a new interval and pushes the samples of the old one.
func (d *Deduplicator) flush() {
	sm := d.current.Swap(newShardedMap())

	var samples []Sample
	for i := range sm.shards {
		sh := &sm.shards[i]
		sh.mu.Lock()
		for s := range maps.Values(sh.data) {
			samples = append(samples, s)
		}
		sh.mu.Unlock()

		if len(samples) > 0 {
			d.push(samples)
			samples = samples[:0]
		}
	}
}
