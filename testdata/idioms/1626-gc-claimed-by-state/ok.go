package a

import (
	"context"
	"errors"
	"sync"
)

var (
	ErrUnknown = errors.New("unknown blob")
	ErrBusy    = errors.New("blob is being removed, try again")
)

type blob struct {
	refs   int
	doomed bool
}

// Index counts references to blobs in an object store.
type Index struct {
	erase func(ctx context.Context, digest string) error

	mu    sync.Mutex
	blobs map[string]*blob
}

func NewIndex(erase func(context.Context, string) error) *Index {
	return &Index{erase: erase, blobs: make(map[string]*blob)}
}

// Link takes a reference to a blob; the first one enters it. A client uploads
// only what it has linked.
func (x *Index) Link(digest string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.blobs[digest]
	if b == nil {
		b = new(blob)
		x.blobs[digest] = b
	}
	if b.doomed {
		return ErrBusy
	}
	b.refs++
	return nil
}

// Unlink drops a reference.
func (x *Index) Unlink(digest string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.blobs[digest]
	if b == nil || b.refs == 0 {
		return ErrUnknown
	}
	b.refs--
	return nil
}

func (x *Index) idle() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []string
	for d, b := range x.blobs {
		if b.refs == 0 {
			out = append(out, d)
		}
	}
	return out
}

func (x *Index) doom(digest string) *blob {
	x.mu.Lock()
	defer x.mu.Unlock()
	b := x.blobs[digest]
	if b == nil || b.refs > 0 || b.doomed {
		return nil
	}
	b.doomed = true
	return b
}

// Sweep erases the unreferenced blobs and returns how many it erased.
func (x *Index) Sweep(ctx context.Context) (n int, err error) {
	for _, d := range x.idle() {
		b := x.doom(d)
		if b == nil {
			continue
		}
		eraseErr := x.erase(ctx, d)
		x.mu.Lock()
		if eraseErr != nil {
			b.doomed = false
			err = errors.Join(err, eraseErr)
		} else {
			delete(x.blobs, d)
			n++
		}
		x.mu.Unlock()
	}
	return n, err
}
