package future

import (
	"context"
	"fmt"
	"sync"
)

// Future is a value that is on its way.
type Future[T any] struct {
	once sync.Once
	done chan struct{}

	mu  sync.Mutex
	val T
	err error
}

func New[T any]() *Future[T] {
	return &Future[T]{done: make(chan struct{})}
}

// Go computes the value of a future in a goroutine of its own.
func Go[T any](compute func() (T, error)) *Future[T] {
	f := New[T]()
	go func() {
		defer func() {
			if p := recover(); p != nil {
				var none T
				f.Resolve(none, fmt.Errorf("future: panic: %v", p))
			}
		}()
		f.Resolve(compute())
	}()
	return f
}

// Resolve sets the outcome. All calls but the first do nothing.
func (f *Future[T]) Resolve(val T, err error) {
	f.once.Do(func() {
		close(f.done)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.val, f.err = val, err
	})
}

// Done is closed when the outcome is known.
func (f *Future[T]) Done() <-chan struct{} { return f.done }

func (f *Future[T]) outcome() (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.val, f.err
}

// Await waits for the outcome.
func (f *Future[T]) Await(ctx context.Context) (val T, err error) {
	select {
	case <-f.done:
		return f.outcome()
	case <-ctx.Done():
		return val, ctx.Err()
	}
}

// All waits for every one of fs and stops at the first error.
func All[T any](ctx context.Context, fs ...*Future[T]) ([]T, error) {
	vals := make([]T, 0, len(fs))
	for _, f := range fs {
		v, err := f.Await(ctx)
		if err != nil {
			return nil, err
		}
		vals = append(vals, v)
	}
	return vals, nil
}
