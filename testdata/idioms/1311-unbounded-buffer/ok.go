package buffer

import (
	"context"
	"errors"
	"sync"
)

// Unbounded is an implementation of an unbounded buffer which does not use
// extra goroutines. This is typically used for passing updates from one entity
// to another within gRPC.
//
// All methods on this type are thread-safe and don't block on anything except
// the underlying mutex used for synchronization. There is one reader, which
// calls Load after each value it has read from the channel.
type Unbounded[T any] struct {
	c       chan T
	closed  bool
	closing bool
	mu      sync.Mutex
	backlog []T
}

// NewUnbounded returns a new instance of Unbounded.
func NewUnbounded[T any]() *Unbounded[T] {
	return &Unbounded[T]{c: make(chan T, 1)}
}

var errBufferClosed = errors.New("Put called on closed buffer.Unbounded")

// Put adds t to the unbounded buffer.
func (b *Unbounded[T]) Put(t T) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closing {
		return errBufferClosed
	}
	if len(b.backlog) == 0 {
		select {
		case b.c <- t:
			return nil
		default:
		}
	}
	b.backlog = append(b.backlog, t)
	return nil
}

// Load sends the earliest buffered data, if any, onto the read channel returned
// by Get(). Users are expected to call this every time they successfully read a
// value from the read channel.
func (b *Unbounded[T]) Load() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.backlog) > 0 {
		select {
		case b.c <- b.backlog[0]:
			var zero T
			b.backlog[0] = zero
			b.backlog = b.backlog[1:]
		default:
		}
	} else if b.closing && !b.closed {
		b.closed = true
		close(b.c)
	}
}

// Get returns a read channel on which values added to the buffer, via Put(),
// are sent on.
func (b *Unbounded[T]) Get() <-chan T {
	return b.c
}

// Close closes the unbounded buffer. No subsequent data may be Put(), and the
// channel returned from Get() will be closed after all the data is read and
// Load() is called for the final time.
func (b *Unbounded[T]) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closing {
		return
	}
	b.closing = true
	if len(b.backlog) == 0 {
		b.closed = true
		close(b.c)
	}
}

// CallbackSerializer provides a mechanism to schedule callbacks in a
// synchronized manner.
type CallbackSerializer struct {
	done      chan struct{}
	callbacks *Unbounded[func(ctx context.Context)]
}

// NewCallbackSerializer returns a new CallbackSerializer instance. The provided
// context will be passed to the scheduled callbacks.
func NewCallbackSerializer(ctx context.Context) *CallbackSerializer {
	cs := &CallbackSerializer{
		done:      make(chan struct{}),
		callbacks: NewUnbounded[func(ctx context.Context)](),
	}
	go cs.run(ctx)
	return cs
}

// TrySchedule tries to schedule the provided callback function f to be
// executed in the order it was added.
func (cs *CallbackSerializer) TrySchedule(f func(ctx context.Context)) {
	cs.callbacks.Put(f)
}

func (cs *CallbackSerializer) run(ctx context.Context) {
	defer close(cs.done)

	// Close the buffer when the context is canceled
	// to prevent new callbacks from being added.
	context.AfterFunc(ctx, cs.callbacks.Close)

	// Run all callbacks.
	for cb := range cs.callbacks.Get() {
		cs.callbacks.Load()
		cb(ctx)
	}
}

// Done returns a channel that is closed after the context passed to
// NewCallbackSerializer is canceled and all callbacks have been executed.
func (cs *CallbackSerializer) Done() <-chan struct{} {
	return cs.done
}
