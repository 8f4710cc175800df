package escaperef

import (
	"sync"
	"sync/atomic"
)

// Tails has a number for each table, which is changed through a pointer: the map stays as it is.
type Tails struct {
	mu     sync.Mutex
	tables map[string]*atomic.Uint64
}

// NewTails has one table.
func NewTails() *Tails {
	return &Tails{tables: map[string]*atomic.Uint64{"headers": new(atomic.Uint64)}}
}

// Truncate raises the number of a table.
func (t *Tails) Truncate(table string, items uint64) {
	tail, ok := t.tables[table]
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if tail.Load() < items {
		tail.Store(items)
	}
}

// Buckets counts in a list that Reset changes as a whole.
type Buckets struct {
	mu     sync.RWMutex
	counts []atomic.Int64
}

// NewBuckets has sixteen.
func NewBuckets() *Buckets { return &Buckets{counts: make([]atomic.Int64, 16)} }

// Count adds one.
func (b *Buckets) Count(i int) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.counts[i].Add(1)
}

// Reset sets all to zero.
func (b *Buckets) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.counts {
		b.counts[i].Store(0)
	}
}

// Share is the part of one bucket.
func (b *Buckets) Share(i int) float64 {
	b.mu.RLock()
	counts := b.counts
	b.mu.RUnlock()
	var total int64
	for j := range counts {
		total += counts[j].Load() // want `b.counts was taken at line 60 under b.mu and is used here after that was released`
	}
	return float64(counts[i].Load()) / float64(total)
}
