// Package ok passes elements from many producers to a consumer.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrFull says that the queue has reached its limit.
var ErrFull = errors.New("queue limit reached")

// Queue is unbounded but for an optional limit. Ch gets a token when elements
// start to wait; a token may also come for elements that are already taken.
type Queue[T any] struct {
	Ch    chan struct{}
	limit int

	inprogress atomic.Int64

	mu    sync.Mutex
	elts  []T
	spare []T
}

// NewQueue returns an empty queue, limit 0 is none.
func NewQueue[T any](limit int) *Queue[T] {
	return &Queue[T]{Ch: make(chan struct{}, 1), limit: limit}
}

// Push adds an element and returns the length of the queue.
func (q *Queue[T]) Push(e T) (int, error) {
	q.mu.Lock()
	n := len(q.elts)
	if q.limit > 0 && n >= q.limit {
		q.mu.Unlock()
		return n, ErrFull
	}
	if q.elts == nil {
		q.elts, q.spare = q.spare, nil
	}
	q.elts = append(q.elts, e)
	q.mu.Unlock()
	if n == 0 {
		select {
		case q.Ch <- struct{}{}:
		default:
		}
	}
	return n + 1, nil
}

// Pop takes all elements, or nil if there are none. Recycle them when done.
func (q *Queue[T]) Pop() []T {
	q.mu.Lock()
	elts := q.elts
	q.elts = nil
	q.inprogress.Add(int64(len(elts)))
	q.mu.Unlock()
	return elts
}

// Recycle gives back what Pop returned.
func (q *Queue[T]) Recycle(elts []T) {
	if elts == nil {
		return
	}
	q.inprogress.Add(-int64(len(elts)))
	clear(elts)
	q.mu.Lock()
	if q.spare == nil && cap(elts) <= 4096 {
		q.spare = elts[:0]
	}
	q.mu.Unlock()
}

// Len returns the number of elements that wait.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.elts)
}

// InProgress returns the number of elements that are taken and not recycled.
func (q *Queue[T]) InProgress() int64 { return q.inprogress.Load() }

// Consume handles elements until quit is closed.
func Consume[T any](q *Queue[T], quit <-chan struct{}, handle func(T)) {
	for {
		select {
		case <-q.Ch:
			elts := q.Pop()
			for _, e := range elts {
				handle(e)
			}
			q.Recycle(elts)
		case <-quit:
			return
		}
	}
}
