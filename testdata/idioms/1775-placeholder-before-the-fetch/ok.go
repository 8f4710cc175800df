// Package a pulls image blobs, each of them once.
package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var ErrBadDigest = errors.New("pull: bad digest")

// Blob describes a blob in the local store.
type Blob struct {
	Digest string
	Size   int64
	Path   string
}

// Registry is the remote end.
type Registry interface {
	Fetch(ctx context.Context, digest string) (Blob, error)
}

// slot is the state of one digest. blob and err are written before ready is
// closed and not afterwards.
type slot struct {
	ready chan struct{}
	blob  Blob
	err   error
}

// Puller fetches blobs.
type Puller struct {
	remote  Registry
	timeout time.Duration

	mu    sync.Mutex
	slots map[string]*slot

	fetches atomic.Int64
	waits   atomic.Int64
	errors  atomic.Int64
}

// NewPuller returns a puller without blobs.
func NewPuller(r Registry, timeout time.Duration) *Puller {
	return &Puller{remote: r, timeout: timeout, slots: make(map[string]*slot)}
}

// Pull returns the blob; it is fetched if it is not here. A fetch is shared
// by all callers and does not end with the context of one of them.
func (p *Puller) Pull(ctx context.Context, digest string) (Blob, error) {
	if digest == "" {
		return Blob{}, ErrBadDigest
	}
	p.mu.Lock()
	s, ok := p.slots[digest]
	if !ok {
		s = &slot{ready: make(chan struct{})}
		p.slots[digest] = s
	}
	p.mu.Unlock()

	if ok {
		p.waits.Add(1)
	} else {
		go p.fetch(digest, s)
	}
	select {
	case <-s.ready:
		return s.blob, s.err
	case <-ctx.Done():
		return Blob{}, ctx.Err()
	}
}

// fetch fills a slot. A failed one leaves the table, so that a later Pull
// tries again.
func (p *Puller) fetch(digest string, s *slot) {
	ctx, cancel := context.WithTimeout(context.Background(), p.timeout)
	defer cancel()
	p.fetches.Add(1)
	start := time.Now()
	s.blob, s.err = p.remote.Fetch(ctx, digest)
	if s.err != nil {
		p.errors.Add(1)
		log.Printf("pull: %s failed after %v: %v", digest, time.Since(start), s.err)
		p.mu.Lock()
		if p.slots[digest] == s {
			delete(p.slots, digest)
		}
		p.mu.Unlock()
	}
	close(s.ready)
}

// Present reports whether the blob was fetched.
func (p *Puller) Present(digest string) bool {
	p.mu.Lock()
	s, ok := p.slots[digest]
	p.mu.Unlock()
	if !ok {
		return false
	}
	select {
	case <-s.ready:
		return s.err == nil
	default:
		return false
	}
}

// Stats returns the counters.
func (p *Puller) Stats() (fetches, waits, errs int64) {
	return p.fetches.Load(), p.waits.Load(), p.errors.Load()
}
