// Package reconcile runs a handler for every object that has been marked as
// changed.
package reconcile

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Handler brings one object to its wanted state.
type Handler func(ctx context.Context, key string) error

// Loop is safe for concurrent use: watchers, timers and the API all mark keys.
type Loop struct {
	handle Handler
	retry  time.Duration

	wake chan struct{}
	size atomic.Int64

	mu    sync.Mutex
	dirty map[string]struct{}
}

// New returns a loop; Start makes it work.
func New(handle Handler, retry time.Duration) *Loop {
	return &Loop{
		handle: handle,
		retry:  retry,
		wake:   make(chan struct{}, 1),
		dirty:  make(map[string]struct{}),
	}
}

// Start begins handling keys, one after the other. It is called once. Keys
// that are marked when ctx ends are dropped; the next process lists all objects
// anyhow.
func (l *Loop) Start(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx)
	}()
	return done
}

// Mark asks for keys to be handled. Marks for a key that has not been begun
// with are merged.
func (l *Loop) Mark(keys ...string) {
	l.mu.Lock()
	for _, k := range keys {
		l.dirty[k] = struct{}{}
	}
	l.size.Store(int64(len(l.dirty)))
	l.mu.Unlock()
	l.signal()
}

func (l *Loop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Pending returns the number of keys that wait, for the metrics.
func (l *Loop) Pending() int {
	return int(l.size.Load())
}

// take hands over everything that is marked.
func (l *Loop) take() map[string]struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.dirty
	l.dirty = make(map[string]struct{})
	l.size.Store(0)
	return batch
}

func (l *Loop) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
		if l.size.Load() == 0 {
			continue
		}
		for key := range l.take() {
			if ctx.Err() != nil {
				return
			}
			if err := l.handle(ctx, key); err != nil {
				log.Printf("reconcile %s: %v", key, err)
				time.AfterFunc(l.retry, func() { l.Mark(key) })
			}
		}
	}
}
