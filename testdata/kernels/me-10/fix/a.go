package a

import (
	"errors"
	"sync"
)

// Errors of the pool.
var (
	ErrTooLarge = errors.New("bufferpool: request exceeds the pool")
	ErrClosed   = errors.New("bufferpool: closed")
)

// BufferPool bounds the memory of the batches a producer has not sent yet.
// Buffers of the page size are used again.
type BufferPool struct {
	total int
	page  int

	mu      sync.Mutex
	freed   *sync.Cond
	avail   int
	spare   [][]byte
	waiters int
	closed  bool
}

// NewBufferPool returns a pool of total bytes.
func NewBufferPool(total, page int) *BufferPool {
	p := &BufferPool{total: total, page: page, avail: total}
	p.freed = sync.NewCond(&p.mu)
	return p
}

// Allocate returns a buffer of n bytes. It blocks while the pool is used up.
func (p *BufferPool) Allocate(n int) ([]byte, error) {
	if n > p.total {
		return nil, ErrTooLarge
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.await(n); err != nil {
		return nil, err
	}
	p.avail -= n
	if n == p.page && len(p.spare) > 0 {
		buf := p.spare[len(p.spare)-1]
		p.spare = p.spare[:len(p.spare)-1]
		return buf, nil
	}
	return make([]byte, n), nil
}

func (p *BufferPool) await(n int) error {
	p.waiters++
	defer func() { p.waiters-- }()
	for p.avail < n {
		if p.closed {
			return ErrClosed
		}
		p.freed.Wait()
	}
	if p.closed {
		return ErrClosed
	}
	return nil
}

// Deallocate gives a buffer back.
func (p *BufferPool) Deallocate(buf []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.avail += len(buf)
	if len(buf) == p.page {
		clear(buf)
		p.spare = append(p.spare, buf)
	}
	p.freed.Broadcast()
}

// Trim drops the buffers kept for use again.
func (p *BufferPool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = nil
}

// Usage reports the bytes in use and the number of callers that wait.
func (p *BufferPool) Usage() (used, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.total - p.avail, p.waiters
}

// Close wakes all waiters with an error.
func (p *BufferPool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.freed.Broadcast()
}
