package a

import (
	"context"
	"fmt"
	"sync"
)

// klock is the lock of one key. A value in sem is the ownership.
type klock struct {
	sem chan struct{}
	ref int
}

// KeyMutex locks by a key.
type KeyMutex struct {
	mu sync.Mutex

	locks map[string]*klock
}

func New() *KeyMutex {
	return &KeyMutex{locks: make(map[string]*klock)}
}

// Lock waits for the lock of a key.
func (km *KeyMutex) Lock(ctx context.Context, key string) error {
	km.mu.Lock()

	l, ok := km.locks[key]
	if !ok {
		l = &klock{sem: make(chan struct{}, 1)}
		km.locks[key] = l
	}
	l.ref++
	km.mu.Unlock()

	select {
	case l.sem <- struct{}{}:
		return nil
	case <-ctx.Done():
		km.mu.Lock()
		defer km.mu.Unlock()

		l.ref--
		if l.ref < 0 {
			panic(fmt.Errorf("kmutex: release of unlocked key %v", key))
		}
		if l.ref == 0 {
			delete(km.locks, key)
		}
		return ctx.Err()
	}
}

// Unlock gives up the lock of a key.
func (km *KeyMutex) Unlock(key string) {
	km.mu.Lock()
	defer km.mu.Unlock()

	l, ok := km.locks[key]
	if !ok {
		panic(fmt.Errorf("kmutex: unlock of unlocked key %v", key))
	}
	<-l.sem

	l.ref--
	if l.ref < 0 {
		panic(fmt.Errorf("kmutex: released lock for key %v", key))
	}
	if l.ref == 0 {
		delete(km.locks, key)
	}
}

// Unpacker unpacks the layers of images.
type Unpacker struct {
	unpackLock *KeyMutex
	unpack     func(ctx context.Context, chainID string) error

	mu        sync.Mutex
	snapshots map[string]struct{}
}

func NewUnpacker(unpack func(context.Context, string) error) *Unpacker {
	return &Unpacker{unpackLock: New(), unpack: unpack, snapshots: map[string]struct{}{}}
}

func (u *Unpacker) stat(chainID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, ok := u.snapshots[chainID]
	return ok
}

// Layer unpacks a layer unless it is there already. Images that are pulled at
// the same time may share layers.
func (u *Unpacker) Layer(ctx context.Context, chainID string) error {
	if err := u.unpackLock.Lock(ctx, chainID); err != nil {
		return err
	}
	defer u.unpackLock.Unlock(chainID)

	if u.stat(chainID) {
		// no need to handle
		return nil
	}
	if err := u.unpack(ctx, chainID); err != nil {
		return err
	}
	u.mu.Lock()
	u.snapshots[chainID] = struct{}{}
	u.mu.Unlock()
	return nil
}
