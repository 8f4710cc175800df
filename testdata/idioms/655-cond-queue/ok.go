// Package jobqueue is a priority queue between submitters and workers.
package jobqueue

import (
	"container/heap"
	"context"
	"errors"
	"sync"
)

var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("jobqueue: closed")
	// ErrFull is returned when the queue has no room.
	ErrFull = errors.New("jobqueue: full")
)

// Item in the queue; the greater priority comes first, older ones before newer ones.
type Item[T any] struct {
	Value    T
	Priority int
	seq      uint64
}

type items[T any] []Item[T]

func (h items[T]) Len() int { return len(h) }
func (h items[T]) Less(i, j int) bool {
	if h[i].Priority != h[j].Priority {
		return h[i].Priority > h[j].Priority
	}
	return h[i].seq < h[j].seq
}
func (h items[T]) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *items[T]) Push(x any)   { *h = append(*h, x.(Item[T])) }
func (h *items[T]) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Queue is bounded and safe for many submitters and workers.
type Queue[T any] struct {
	limit int

	mu       sync.Mutex
	notEmpty *sync.Cond
	heap     items[T]
	seq      uint64
	closed   bool
}

// New returns a queue for at most limit items.
func New[T any](limit int) *Queue[T] {
	q := &Queue[T]{limit: limit}
	q.notEmpty = sync.NewCond(&q.mu)
	return q
}

// Put adds an item.
func (q *Queue[T]) Put(v T, priority int) error {
	if err := q.push(Item[T]{Value: v, Priority: priority}); err != nil {
		return err
	}
	q.notEmpty.Signal()
	return nil
}

func (q *Queue[T]) push(it Item[T]) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return ErrClosed
	case len(q.heap) >= q.limit:
		return ErrFull
	}
	q.seq++
	it.seq = q.seq
	heap.Push(&q.heap, it)
	return nil
}

// Pop waits for an item; after Close it returns what is left and then ErrClosed.
func (q *Queue[T]) Pop() (T, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.heap) == 0 {
		if q.closed {
			var zero T
			return zero, ErrClosed
		}
		q.notEmpty.Wait()
	}
	return heap.Pop(&q.heap).(Item[T]).Value, nil
}

// Close refuses further items and lets waiting workers end.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.notEmpty.Broadcast()
}

// Len returns the number of items that wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.heap)
}

// Work runs n workers until the queue is closed and empty, or ctx ends.
func Work[T any](ctx context.Context, q *Queue[T], n int, fn func(context.Context, T)) {
	stop := context.AfterFunc(ctx, q.Close)
	defer stop()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for {
				v, err := q.Pop()
				if err != nil {
					return
				}
				fn(ctx, v)
			}
		})
	}
	wg.Wait()
}
