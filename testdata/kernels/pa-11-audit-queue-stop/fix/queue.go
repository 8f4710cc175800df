package auditqueue

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// Errors of Submit.
var (
	ErrStopped = errors.New("auditqueue: stopped")
	ErrFull    = errors.New("auditqueue: queue full")
)

// Queue hands items to a fixed set of workers. An item that Submit has taken is
// handled even when Stop is called.
type Queue[T any] struct {
	name   string
	handle func(context.Context, T) error
	items  chan T
	quit   chan struct{}
	wg     sync.WaitGroup

	mu      sync.RWMutex
	stopped bool
}

// NewQueue starts workers that call handle.
func NewQueue[T any](name string, size, workers int, handle func(context.Context, T) error) *Queue[T] {
	q := &Queue[T]{
		name:   name,
		handle: handle,
		items:  make(chan T, size),
		quit:   make(chan struct{}),
	}
	for range workers {
		q.wg.Add(1)
		go func() {
			defer q.wg.Done()
			q.work()
		}()
	}
	return q
}

func (q *Queue[T]) work() {
	for {
		select {
		case it := <-q.items:
			q.run(it)
		case <-q.quit:
			for {
				select {
				case it := <-q.items:
					q.run(it)
				default:
					return
				}
			}
		}
	}
}

func (q *Queue[T]) run(it T) {
	if err := q.handle(context.Background(), it); err != nil {
		slog.Error("queue item failed", "queue", q.name, "err", err)
	}
}

// Submit enqueues an item without waiting.
func (q *Queue[T]) Submit(it T) error {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.stopped {
		return ErrStopped
	}
	select {
	case q.items <- it:
		return nil
	default:
		return ErrFull
	}
}

// Stop refuses new items and waits until the accepted ones are handled.
func (q *Queue[T]) Stop() {
	q.mu.Lock()
	if q.stopped {
		q.mu.Unlock()
		q.wg.Wait()
		return
	}
	q.stopped = true
	q.mu.Unlock()
	close(q.quit)
	q.wg.Wait()
}
