package limit

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var ErrWidth = errors.New("limit: width must be positive")

// Limiter bounds how many functions run at a time.
type Limiter struct {
	mu    sync.Mutex
	slots chan struct{}
}

func New(width int) (*Limiter, error) {
	l := new(Limiter)
	return l, l.Resize(width)
}

// Resize changes the bound. What runs already does not count against it.
func (l *Limiter) Resize(width int) error {
	if width < 1 {
		return ErrWidth
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots = make(chan struct{}, width)
	return nil
}

func (l *Limiter) current() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots
}

// Load tells how many slots are taken, and of how many.
func (l *Limiter) Load() (taken, width int) {
	s := l.current()
	return len(s), cap(s)
}

// Do runs fn as soon as a slot is free. A panic of fn becomes an error.
func (l *Limiter) Do(ctx context.Context, fn func(context.Context) error) (err error) {
	select {
	case l.current() <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("limit: panic: %v", p)
		}
		<-l.current()
	}()
	return fn(ctx)
}
