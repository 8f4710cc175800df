// Package pull limits how many image layers are pulled at a time.
package pull

import (
	"container/list"
	"context"
	"fmt"
	"io"
	"sync"
)

// limiter hands out slots in the order in which they were asked for.
type limiter struct {
	mu      sync.Mutex
	size    int
	taken   int
	waiters list.List // of chan struct{}
}

// acquire takes a slot, or waits for one.
func (l *limiter) acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.taken < l.size && l.waiters.Len() == 0 {
		l.taken++
		l.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	elem := l.waiters.PushBack(granted)
	l.mu.Unlock()

	select {
	case <-granted:
		return nil
	case <-ctx.Done():
	}
	if l.abandon(elem, granted) {
		return ctx.Err()
	}
	return nil
}

// abandon takes a waiter out of the queue, unless it has its slot.
func (l *limiter) abandon(elem *list.Element, granted <-chan struct{}) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-granted:
		return false
	default:
	}
	l.waiters.Remove(elem)
	return true
}

// release gives a slot back: to the first waiter if there is one.
func (l *limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	l.grant()
}

// resize changes the number of slots.
func (l *limiter) resize(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size = n
	l.grant()
}

// grant gives free slots to waiters. The caller holds l.mu.
func (l *limiter) grant() {
	for l.taken < l.size {
		front := l.waiters.Front()
		if front == nil {
			return
		}
		l.waiters.Remove(front)
		l.taken++
		close(front.Value.(chan struct{}))
	}
}

// Registry serves layers.
type Registry interface {
	Fetch(ctx context.Context, digest string) (io.ReadCloser, error)
}

// Sink stores layers. Store fails if r does.
type Sink interface {
	Store(digest string, r io.Reader) error
}

// Puller pulls layers. It is safe for concurrent use.
type Puller struct {
	registry Registry
	sink     Sink
	limit    limiter
}

// NewPuller returns a puller that pulls up to parallel layers at a time.
func NewPuller(r Registry, s Sink, parallel int) *Puller {
	return &Puller{registry: r, sink: s, limit: limiter{size: parallel}}
}

// SetParallel changes the number of layers that are pulled at a time. Pulls
// that have begun are not interrupted.
func (p *Puller) SetParallel(n int) { p.limit.resize(n) }

// Pull pulls the layers of an image and returns the first error.
func (p *Puller) Pull(ctx context.Context, digests []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, d := range digests {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := p.layer(ctx, d); err != nil {
				cancel(fmt.Errorf("pull %s: %w", d, err))
			}
		}()
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (p *Puller) layer(ctx context.Context, digest string) error {
	if err := p.limit.acquire(ctx); err != nil {
		return err
	}
	defer p.limit.release()
	body, err := p.registry.Fetch(ctx, digest)
	if err != nil {
		return err
	}
	defer body.Close()
	return p.sink.Store(digest, body)
}
