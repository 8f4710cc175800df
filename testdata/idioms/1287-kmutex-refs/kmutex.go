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

type klock struct {
	sem chan struct{}
	ref int
}

func (l *klock) acquire(ctx context.Context) error {
	select {
	case l.sem <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (km *keyMutex) Lock(ctx context.Context, key string) error {
	km.mu.Lock()

	l, ok := km.locks[key]
	if !ok {
		km.locks[key] = &klock{
			sem: make(chan struct{}, 1),
		}
		l = km.locks[key]
	}
	l.ref++
	km.mu.Unlock()

	if err := l.acquire(ctx); err != nil {
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
	<-l.sem

	l.ref--

	if l.ref < 0 {
		panic(fmt.Errorf("kmutex: release of unlocked key %v", key))
	}

	if l.ref == 0 {
		delete(km.locks, key)
	}
}

// Unpacker unpacks layers; the same layer is unpacked by one goroutine only.
type Unpacker struct {
	locks  KeyedLocker
	exists func(chainID string) (bool, error)
	unpack func(ctx context.Context, chainID string) error
}

// Layer makes sure that the layer is there.
func (u *Unpacker) Layer(ctx context.Context, chainID string) error {
	if err := u.locks.Lock(ctx, chainID); err != nil {
		return err
	}
	defer u.locks.Unlock(chainID)

	ok, err := u.exists(chainID)
	if err != nil || ok {
		return err
	}
	return u.unpack(ctx, chainID)
}
