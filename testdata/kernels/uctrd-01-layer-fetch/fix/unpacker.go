// Package fix fetches the layers of images and unpacks them to snapshots.
package fix

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
)

// ErrNotFound is returned for unknown content and snapshots.
var ErrNotFound = errors.New("not found")

// Content stores blobs by digest.
type Content struct {
	mu    sync.RWMutex
	blobs map[string][]byte
}

// NewContent returns an empty store.
func NewContent() *Content { return &Content{blobs: make(map[string][]byte)} }

// Info returns the size of a blob.
func (c *Content) Info(digest string) (int, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	b, ok := c.blobs[digest]
	if !ok {
		return 0, ErrNotFound
	}
	return len(b), nil
}

// Write stores a blob.
func (c *Content) Write(digest string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blobs[digest] = data
}

// keyed is a set of locks with names.
type keyed struct {
	mu    sync.Mutex
	locks map[string]*keyedLock
}

type keyedLock struct {
	token chan struct{}
	refs  int
}

func (k *keyed) lock(ctx context.Context, key string) (unlock func(), err error) {
	k.mu.Lock()
	l := k.locks[key]
	if l == nil {
		l = &keyedLock{token: make(chan struct{}, 1)}
		k.locks[key] = l
	}
	l.refs++
	k.mu.Unlock()

	release := func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.refs--; l.refs == 0 {
			delete(k.locks, key)
		}
	}
	select {
	case l.token <- struct{}{}:
		return func() { <-l.token; release() }, nil
	case <-ctx.Done():
		release()
		return nil, ctx.Err()
	}
}

// Snapshotter keeps unpacked file systems.
type Snapshotter interface {
	Stat(chainID string) error
	Unpack(chainID, parent, digest string) error
}

// Layer is one part of an image.
type Layer struct {
	Digest string
}

// Unpacker unpacks images, several of them at a time.
type Unpacker struct {
	content *Content
	sn      Snapshotter
	fetch   func(ctx context.Context, digest string) ([]byte, error)
	layers  keyed
}

// New returns an unpacker that gets missing blobs with fetch.
func New(c *Content, sn Snapshotter, fetch func(context.Context, string) ([]byte, error)) *Unpacker {
	return &Unpacker{content: c, sn: sn, fetch: fetch, layers: keyed{locks: make(map[string]*keyedLock)}}
}

func chainID(parent, digest string) string {
	if parent == "" {
		return digest
	}
	sum := sha256.Sum256([]byte(parent + " " + digest))
	return hex.EncodeToString(sum[:])
}

// PullAll unpacks images at the same time.
func (u *Unpacker) PullAll(ctx context.Context, images [][]Layer) error {
	errs := make(chan error, len(images))
	for _, layers := range images {
		go func() { errs <- u.Unpack(ctx, layers) }()
	}
	var err error
	for range images {
		err = errors.Join(err, <-errs)
	}
	return err
}

// Unpack makes the snapshots of one image.
func (u *Unpacker) Unpack(ctx context.Context, layers []Layer) error {
	parent := ""
	for _, l := range layers {
		chain := chainID(parent, l.Digest)
		if err := u.unpackLayer(ctx, l, parent, chain); err != nil {
			return fmt.Errorf("layer %s: %w", l.Digest, err)
		}
		parent = chain
	}
	return nil
}

func (u *Unpacker) unpackLayer(ctx context.Context, l Layer, parent, chain string) error {
	// The lock also covers the check of the content, so that it is not
	// fetched twice.
	unlock, err := u.layers.lock(ctx, l.Digest)
	if err != nil {
		return err
	}
	defer unlock()

	// The content must be there even if the snapshot exists already.
	if _, err := u.content.Info(l.Digest); err != nil {
		if !errors.Is(err, ErrNotFound) {
			return err
		}
		data, err := u.fetch(ctx, l.Digest)
		if err != nil {
			return err
		}
		u.content.Write(l.Digest, data)
	}

	if err := u.sn.Stat(chain); err == nil {
		return nil
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	return u.sn.Unpack(chain, parent, l.Digest)
}
