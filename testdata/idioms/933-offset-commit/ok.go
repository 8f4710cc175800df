// Package offsets tracks how far the consumer groups of a broker have read.
// Acknowledgements come from the connection goroutines, several per group.
package offsets

import (
	"context"
	"log"
	"maps"
	"sync"
	"time"
)

// Partition is one partition of a topic as read by one group.
type Partition struct {
	Group string
	Topic string
	Index int
}

// Store makes offsets durable.
type Store interface {
	SaveOffsets(ctx context.Context, offsets map[Partition]int64) error
}

// Tracker holds the committed offsets. It is safe for concurrent use.
type Tracker struct {
	store Store

	mu        sync.RWMutex
	committed map[Partition]int64
	dirty     bool
	watchers  map[Partition][]chan int64
}

// NewTracker returns a tracker that starts with the offsets of the last run.
func NewTracker(st Store, initial map[Partition]int64) *Tracker {
	t := &Tracker{store: st, committed: maps.Clone(initial), watchers: make(map[Partition][]chan int64)}
	if t.committed == nil {
		t.committed = make(map[Partition]int64)
	}
	return t
}

// Committed returns the committed offset of a partition.
func (t *Tracker) Committed(p Partition) int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.committed[p]
}

// Ack commits an offset. Acknowledgements may come in any order and more than
// once; most of them are behind the committed offset.
func (t *Tracker) Ack(p Partition, offset int64) {
	if offset <= t.Committed(p) {
		return
	}
	t.advance(p, offset)
}

// advance moves the committed offset of a partition forward.
func (t *Tracker) advance(p Partition, offset int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if offset <= t.committed[p] {
		return
	}
	t.committed[p] = offset
	t.dirty = true
	for _, ch := range t.watchers[p] {
		select {
		case <-ch:
		default:
		}
		ch <- offset
	}
}

// Watch returns a channel with the latest committed offset of a partition,
// and a function that ends the watch. Offsets a slow reader has not taken are
// replaced by later ones.
func (t *Tracker) Watch(p Partition) (<-chan int64, func()) {
	ch := make(chan int64, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	ch <- t.committed[p]
	t.watchers[p] = append(t.watchers[p], ch)
	return ch, func() { t.unwatch(p, ch) }
}

func (t *Tracker) unwatch(p Partition, ch chan int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, w := range t.watchers[p] {
		if w == ch {
			t.watchers[p] = append(t.watchers[p][:i:i], t.watchers[p][i+1:]...)
			return
		}
	}
}

// takeDirty returns a copy of all offsets if there are unsaved ones.
func (t *Tracker) takeDirty() (map[Partition]int64, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dirty {
		return nil, false
	}
	t.dirty = false
	return maps.Clone(t.committed), true
}

func (t *Tracker) markDirty() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty = true
}

// save writes unsaved offsets to the store.
func (t *Tracker) save(ctx context.Context) {
	all, ok := t.takeDirty()
	if !ok {
		return
	}
	if err := t.store.SaveOffsets(ctx, all); err != nil {
		log.Printf("offsets: save: %v", err)
		t.markDirty()
	}
}

// Run saves the offsets at an interval until ctx is done, and once more at
// the end. A tracker has one Run.
func (t *Tracker) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			t.save(context.WithoutCancel(ctx))
			return
		case <-tick.C:
			t.save(ctx)
		}
	}
}
