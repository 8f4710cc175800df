package a

import (
	"errors"
	"sync"
	"time"
)

// ErrClosed is returned by a batcher that takes no more items.
var ErrClosed = errors.New("batch: closed")

// Batcher collects items and hands them to sink in batches. Any goroutine may
// add items; only the run goroutine takes them.
type Batcher[T any] struct {
	size int
	sink func(batch []T)
	wake chan struct{}
	done chan struct{}

	mu     sync.Mutex
	items  []T
	closed bool
}

// NewBatcher starts a batcher. Items wait no longer than delay until they
// are handed on, unless the sink is busy.
func NewBatcher[T any](size int, delay time.Duration, sink func([]T)) *Batcher[T] {
	b := &Batcher[T]{
		size: size,
		sink: sink,
		wake: make(chan struct{}, 1),
		done: make(chan struct{}),
	}
	go b.run(delay)
	return b
}

// Add queues an item. When it returns nil the item reaches the sink.
func (b *Batcher[T]) Add(item T) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	b.items = append(b.items, item)
	full := len(b.items) >= b.size
	b.mu.Unlock()
	if full {
		b.poke()
	}
	return nil
}

// poke makes the run goroutine look at the queue.
func (b *Batcher[T]) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Len counts the items that wait.
func (b *Batcher[T]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

// take removes the first n items; there are at least as many.
func (b *Batcher[T]) take(n int) []T {
	b.mu.Lock()
	defer b.mu.Unlock()
	batch := make([]T, n)
	copy(batch, b.items[:n])
	clear(b.items[:n])
	b.items = b.items[n:]
	return batch
}

// drained says whether the batcher is closed and nothing is left.
func (b *Batcher[T]) drained() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed && len(b.items) == 0
}

// run hands on what is queued, whenever a batch is full or the delay is over.
func (b *Batcher[T]) run(delay time.Duration) {
	defer close(b.done)
	tick := time.NewTicker(delay)
	defer tick.Stop()
	for !b.drained() {
		select {
		case <-b.wake:
		case <-tick.C:
		}
		for n := b.Len(); n > 0; n = b.Len() {
			b.sink(b.take(min(n, b.size)))
		}
	}
}

// Close takes no more items and waits until the sink had all of them.
func (b *Batcher[T]) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.poke()
	<-b.done
}
