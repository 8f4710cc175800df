// Package bug lends a fixed set of work areas to callers, in order of arrival.
package bug

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

var ErrClosed = errors.New("pool closed")

// Slot is a work area for one caller at a time.
type Slot struct {
	ID  int
	Buf []byte
}

// Pool lends slots.
type Pool struct {
	mu      sync.Mutex
	free    []*Slot
	waiters list.List // of chan *Slot
	size    int
	closed  bool
}

func NewPool(n, bufSize int) *Pool {
	p := &Pool{size: n}
	for i := range n {
		p.free = append(p.free, &Slot{ID: i, Buf: make([]byte, 0, bufSize)})
	}
	return p
}

// Acquire returns a free slot, waiting for one until ctx ends.
func (p *Pool) Acquire(ctx context.Context) (*Slot, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	if s := p.pop(); s != nil {
		p.mu.Unlock()
		return s, nil
	}
	ready := make(chan *Slot, 1)
	el := p.waiters.PushBack(ready)
	p.mu.Unlock()

	select {
	case s, ok := <-ready:
		if !ok {
			return nil, ErrClosed
		}
		return s, nil
	case <-ctx.Done():
		p.mu.Lock()
		p.waiters.Remove(el)
		p.mu.Unlock()
		return nil, ctx.Err()
	}
}

// TryAcquire returns a free slot or nil.
func (p *Pool) TryAcquire() *Slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	return p.pop()
}

// Release gives s back.
func (p *Pool) Release(s *Slot) {
	s.Buf = s.Buf[:0]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hand(s)
}

func (p *Pool) pop() *Slot {
	n := len(p.free)
	if n == 0 {
		return nil
	}
	s := p.free[n-1]
	p.free = p.free[:n-1]
	return s
}

// hand passes s to the first waiter or keeps it.
func (p *Pool) hand(s *Slot) {
	if el := p.waiters.Front(); el != nil {
		p.waiters.Remove(el).(chan *Slot) <- s
		return
	}
	p.free = append(p.free, s)
}

// InUse is the number of slots lent out.
func (p *Pool) InUse() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size - len(p.free)
}

// Close turns away all waiters.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for el := p.waiters.Front(); el != nil; el = p.waiters.Front() {
		close(p.waiters.Remove(el).(chan *Slot))
	}
}
