package kmutex

import (
	"context"
	"errors"
	"sync"
)

// unpacker unpacks the layers of images, each of them once.
type unpacker struct {
	locker KeyedLocker
	fetch  func(ctx context.Context, chainID string) error

	mu   sync.Mutex
	done map[string]bool
}

func (u *unpacker) isDone(chainID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.done[chainID]
}

func (u *unpacker) unpack(ctx context.Context, chainID string) error {
	if chainID == "" {
		return errors.New("empty chain id")
	}
	if err := u.locker.Lock(ctx, chainID); err != nil {
		return err
	}
	defer u.locker.Unlock(chainID)

	if u.isDone(chainID) {
		return nil
	}
	if err := u.fetch(ctx, chainID); err != nil {
		return err
	}
	u.mu.Lock()
	u.done[chainID] = true
	u.mu.Unlock()
	return nil
}
