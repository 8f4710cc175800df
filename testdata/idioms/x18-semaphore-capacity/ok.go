// Package ok limits resources by size.
package ok

import (
	"context"
	"sync"
)

// Semaphore counts bytes.
type Semaphore struct {
	mut       sync.Mutex
	cond      *sync.Cond
	max       int
	available int
}

// New returns a semaphore with the given capacity.
func New(max int) *Semaphore {
	s := &Semaphore{max: max, available: max}
	s.cond = sync.NewCond(&s.mut)
	return s
}

// TakeWithContext takes size unless the context ends first.
func (s *Semaphore) TakeWithContext(ctx context.Context, size int) error {
	done := make(chan struct{})
	var err error
	go func() {
		err = s.takeInner(ctx, size)
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.mut.Lock()
		s.cond.Broadcast()
		s.mut.Unlock()
		<-done
	}
	return err
}

// Take takes size.
func (s *Semaphore) Take(size int) {
	_ = s.takeInner(context.Background(), size)
}

func (s *Semaphore) takeInner(ctx context.Context, size int) error {
	s.mut.Lock()
	defer s.mut.Unlock()
	size = min(size, s.max)
	for size > s.available {
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		s.cond.Wait()
		size = min(size, s.max)
	}
	s.available -= size
	return nil
}

// Give gives size back.
func (s *Semaphore) Give(size int) {
	s.mut.Lock()
	size = min(size, s.max)
	s.available = min(s.available+size, s.max)
	s.cond.Broadcast()
	s.mut.Unlock()
}

// SetCapacity changes the capacity.
func (s *Semaphore) SetCapacity(capacity int) {
	s.mut.Lock()
	diff := capacity - s.max
	s.max = capacity
	s.available = max(0, min(s.available+diff, s.max))
	s.cond.Broadcast()
	s.mut.Unlock()
}

// Available returns what is left at the moment.
func (s *Semaphore) Available() int {
	s.mut.Lock()
	defer s.mut.Unlock()
	return s.available
}
