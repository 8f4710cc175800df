// Package a stores attachments within the space a tenant has paid for.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrNoSpace  = errors.New("attachments: no space left")
	ErrNotFound = errors.New("attachments: not found")
)

// Blobs is the storage behind the attachments. Put returns the number of bytes
// it keeps, which is at most len(body). Remove of a blob that is gone is no
// error.
type Blobs interface {
	Put(ctx context.Context, id string, body []byte) (int64, error)
	Remove(ctx context.Context, id string) error
}

// Attachments counts the space of one tenant. used includes the uploads that
// are still under way, at their full size.
type Attachments struct {
	blobs Blobs
	limit int64

	mu    sync.Mutex
	seq   int64
	used  int64
	sizes map[string]int64 // finished attachments
}

// NewAttachments returns an empty store with limit bytes.
func NewAttachments(blobs Blobs, limit int64) *Attachments {
	return &Attachments{blobs: blobs, limit: limit, sizes: make(map[string]int64)}
}

// reserve sets n bytes aside and returns the id for the new attachment.
func (a *Attachments) reserve(n int64) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.used+n > a.limit {
		return "", ErrNoSpace
	}
	a.used += n
	a.seq++
	return fmt.Sprintf("att-%d", a.seq), nil
}

// giveBack returns bytes that were set aside and not needed.
func (a *Attachments) giveBack(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= n
}

// Save stores body and returns its id.
func (a *Attachments) Save(ctx context.Context, body []byte) (string, error) {
	n := int64(len(body))
	id, err := a.reserve(n)
	if err != nil {
		return "", err
	}
	kept, err := a.blobs.Put(ctx, id, body)
	if err != nil {
		a.giveBack(n)
		return "", fmt.Errorf("attachments: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= n - kept
	a.sizes[id] = kept
	return id, nil
}

// Delete removes an attachment. The space is free once the blob is gone.
// Removing a blob twice is fine; the space is given back once.
func (a *Attachments) Delete(ctx context.Context, id string) error {
	a.mu.Lock()
	_, ok := a.sizes[id]
	a.mu.Unlock()
	if !ok {
		return ErrNotFound
	}
	if err := a.blobs.Remove(ctx, id); err != nil {
		return fmt.Errorf("attachments: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	n, ok := a.sizes[id]
	if !ok {
		return nil // a parallel Delete has done it
	}
	delete(a.sizes, id)
	a.used -= n
	return nil
}

// Free returns the number of bytes left.
func (a *Attachments) Free() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limit - a.used
}
