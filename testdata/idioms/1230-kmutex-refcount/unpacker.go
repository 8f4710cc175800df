package kmutex

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var errNotFound = errors.New("not found")

// layer of an image.
type layer struct {
	chainID string
	fetch   func(ctx context.Context) error
}

// snapshotter keeps the unpacked layers.
type snapshotter interface {
	Stat(ctx context.Context, key string) error
	Prepare(ctx context.Context, key, parent string) error
	Commit(ctx context.Context, name, key string) error
	Remove(ctx context.Context, key string) error
}

// Unpacker unpacks images, several at the same time. Layers that are shared
// by images are unpacked once.
type Unpacker struct {
	sn          snapshotter
	suppressor  KeyedLocker
	concurrency chan struct{}

	mu   sync.Mutex
	done map[string]int
}

// NewUnpacker creates an unpacker.
func NewUnpacker(sn snapshotter, concurrency int) *Unpacker {
	return &Unpacker{
		sn:          sn,
		suppressor:  New(),
		concurrency: make(chan struct{}, concurrency),
		done:        map[string]int{},
	}
}

// UnpackAll unpacks all images and waits until that is done.
func (u *Unpacker) UnpackAll(ctx context.Context, images map[string][]layer) error {
	var wg sync.WaitGroup
	errs := make(chan error, len(images))
	for name, layers := range images {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := u.unpack(ctx, layers); err != nil {
				errs <- fmt.Errorf("unpack %s: %w", name, err)
				return
			}
			u.mu.Lock()
			u.done[name] = len(layers)
			u.mu.Unlock()
		}()
	}
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

func (u *Unpacker) unpack(ctx context.Context, layers []layer) error {
	parent := ""
	for _, l := range layers {
		if err := u.unpackLayer(ctx, l, parent); err != nil {
			return err
		}
		parent = l.chainID
	}
	return nil
}

func (u *Unpacker) unpackLayer(ctx context.Context, l layer, parent string) error {
	if err := u.suppressor.Lock(ctx, l.chainID); err != nil {
		return err
	}
	defer u.suppressor.Unlock(l.chainID)

	// no need to handle
	err := u.sn.Stat(ctx, l.chainID)
	if err == nil {
		return nil
	}
	if !errors.Is(err, errNotFound) {
		return fmt.Errorf("failed to stat snapshot %s: %w", l.chainID, err)
	}

	u.concurrency <- struct{}{}
	defer func() { <-u.concurrency }()

	key := "extract-" + l.chainID
	if err := u.sn.Prepare(ctx, key, parent); err != nil {
		return err
	}
	if err := l.fetch(ctx); err != nil {
		u.sn.Remove(ctx, key)
		return err
	}
	return u.sn.Commit(ctx, l.chainID, key)
}
