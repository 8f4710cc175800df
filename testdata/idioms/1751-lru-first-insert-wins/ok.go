package a

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
)

// Digest names a blob by its content.
type Digest [sha256.Size]byte

// item is a blob in the cache.
type item struct {
	digest Digest
	data   []byte
}

// Blobs is an LRU cache of blobs limited by size. As blobs are named by their
// content, what is fetched for a digest is the same at any time.
type Blobs struct {
	fetch func(ctx context.Context, d Digest) ([]byte, error)
	limit int

	mu    sync.Mutex
	order *list.List
	items map[Digest]*list.Element
	size  int
}

// NewBlobs makes a cache of at most limit bytes.
func NewBlobs(limit int, fetch func(context.Context, Digest) ([]byte, error)) *Blobs {
	return &Blobs{
		fetch: fetch,
		limit: limit,
		order: list.New(),
		items: make(map[Digest]*list.Element),
	}
}

// lookup returns a cached blob and marks it as used.
func (b *Blobs) lookup(d Digest) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lookupLocked(d)
}

func (b *Blobs) lookupLocked(d Digest) ([]byte, bool) {
	el, ok := b.items[d]
	if !ok {
		return nil, false
	}
	b.order.MoveToFront(el)
	return el.Value.(*item).data, true
}

// add puts a blob into the cache and returns the copy to use, which is the
// one that was there first.
func (b *Blobs) add(d Digest, data []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if have, ok := b.lookupLocked(d); ok {
		return have
	}
	b.items[d] = b.order.PushFront(&item{digest: d, data: data})
	b.size += len(data)
	for b.size > b.limit {
		b.dropLocked(b.order.Back())
	}
	return data
}

func (b *Blobs) dropLocked(el *list.Element) {
	it := b.order.Remove(el).(*item)
	delete(b.items, it.digest)
	b.size -= len(it.data)
}

// Get returns a blob. Callers must not change it.
func (b *Blobs) Get(ctx context.Context, d Digest) ([]byte, error) {
	if data, ok := b.lookup(d); ok {
		return data, nil
	}
	data, err := b.fetch(ctx, d)
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(data) != d {
		return nil, fmt.Errorf("blob %x: content does not match", d[:6])
	}
	return b.add(d, data), nil
}

// Drop frees the memory of a blob.
func (b *Blobs) Drop(d Digest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if el, ok := b.items[d]; ok {
		b.dropLocked(el)
	}
}

// Size returns the bytes in use.
func (b *Blobs) Size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.size
}
