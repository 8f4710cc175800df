// Package kmutex provides synchronization primitives to lock/unlock resource by unique key.
package kmutex

import (
	"context"
	"fmt"
	"sync"
)

// KeyedLocker is the interface for acquiring locks based on string.
type KeyedLocker interface {
	Lock(ctx context.Context, key string) error
	Unlock(key string)
}

// New returns a KeyedLocker.
func New() KeyedLocker {
	return newKeyMutex()
}

func newKeyMutex() *keyMutex {
	return &keyMutex{
		locks: make(map[string]*klock),
	}
}

type keyMutex struct {
	mu sync.Mutex

	locks map[string]*klock
}

// weighted is a semaphore of one.
type weighted chan struct{}

func newWeighted() weighted { return make(weighted, 1) }

func (w weighted) Acquire(ctx context.Context) error {
	select {
	case w <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w weighted) Release() {
	select {
	case <-w:
	default:
		panic("semaphore: released more than held")
	}
}

type klock struct {
	weighted
	ref int
}

func (km *keyMutex) Lock(ctx context.Context, key string) error {
	km.mu.Lock()

	l, ok := km.locks[key]
	if !ok {
		km.locks[key] = &klock{
			weighted: newWeighted(),
		}
		l = km.locks[key]
	}
	l.ref++
	km.mu.Unlock()

	if err := l.Acquire(ctx); err != nil {
		km.mu.Lock()
		defer km.mu.Unlock()

		l.ref--

		if l.ref < 0 {
			panic(fmt.Errorf("kmutex: release of unlocked key %v", key))
		}

		if l.ref == 0 {
			delete(km.locks, key)
		}
		return err
	}
	return nil
}

func (km *keyMutex) Unlock(key string) {
	km.mu.Lock()
	defer km.mu.Unlock()

	l, ok := km.locks[key]
	if !ok {
		panic(fmt.Errorf("kmutex: unlock of unlocked key %v", key))
	}
	l.Release()

	l.ref--

	if l.ref < 0 {
		panic(fmt.Errorf("kmutex: released of unlocked key %v", key))
	}

	if l.ref == 0 {
		delete(km.locks, key)
	}
}
