package verdicts

import (
	"context"
	"errors"
	"sync"
)

var errTaken = errors.New("taken")

// A Court is booked by those who are let in.
type Court struct {
	gate  chan struct{} // of capacity 1
	hours map[int]string
}

func NewCourt() *Court {
	return &Court{gate: make(chan struct{}, 1), hours: make(map[int]string)}
}

func (c *Court) enter(ctx context.Context) error {
	select {
	case c.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Court) leave() { <-c.gate }

// free says that the hour is taken, or that nobody was let in who could ask.
func (c *Court) free(ctx context.Context, hour int) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	if _, taken := c.hours[hour]; taken {
		return errTaken
	}
	return nil
}

func (c *Court) book(ctx context.Context, hour int, name string) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	c.hours[hour] = name
	return nil
}

func (c *Court) Book(ctx context.Context, hour int, name string) error {
	if err := c.free(ctx, hour); err != nil {
		return err
	}
	return c.book(ctx, hour, name) // want `check-then-act: c.hours\[hour\] was checked at line \d+`
}

func (c *Court) Cancel(ctx context.Context, hour int) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	defer c.leave()
	delete(c.hours, hour)
	return nil
}

// A Link tells how a call has gone that it makes with what it has found.
type Link struct {
	mu   sync.Mutex
	call func() error
	down string
}

func (l *Link) try() error {
	l.mu.Lock()
	call := l.call
	l.mu.Unlock()
	return call()
}

func (l *Link) Use(call func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.call = call
	l.down = ""
}

func (l *Link) Check(why string) {
	if err := l.try(); err != nil {
		l.mu.Lock()
		l.down = why
		l.mu.Unlock()
	}
}
