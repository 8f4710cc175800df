package audit

import (
	"sync"
	"time"
)

type phase int

const (
	filling phase = iota
	sealed
)

type Batcher[T any] struct {
	mu      sync.RWMutex
	ph      phase
	pending []T
	limit   int
	timer   *time.Timer
	write   func([]T)
}

func NewBatcher[T any](limit int, delay time.Duration, write func([]T)) *Batcher[T] {
	b := &Batcher[T]{limit: limit, write: write}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = time.AfterFunc(delay, func() {
		b.Flush()
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.ph == filling {
			b.timer.Reset(delay)
		}
	})
	return b
}

func (b *Batcher[T]) state() phase {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.ph
}

func (b *Batcher[T]) Add(entry T) (accepted bool) {
	b.mu.Lock()
	if b.ph != filling {
		b.mu.Unlock()
		return
	}
	b.pending = append(b.pending, entry)
	full := len(b.pending) >= b.limit
	b.mu.Unlock()
	if accepted = true; full {
		b.Flush()
	}
	return
}

func (b *Batcher[T]) Flush() {
	b.mu.Lock()
	batch := b.pending
	b.pending = nil
	b.mu.Unlock()
	if len(batch) > 0 {
		b.write(batch)
	}
}

func (b *Batcher[T]) Close() {
	b.mu.Lock()
	b.ph = sealed
	b.timer.Stop()
	b.mu.Unlock()
	b.Flush()
}
