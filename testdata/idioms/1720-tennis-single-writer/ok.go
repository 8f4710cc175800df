// Package a books the court of a tennis club by the hour.
package a

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
)

var (
	ErrTaken  = errors.New("tennis: court is taken")
	ErrHours  = errors.New("tennis: outside the opening hours")
	ErrClosed = errors.New("tennis: desk is closed")
)

type request struct {
	mask   uint32
	cancel bool
	reply  chan error // has room for the answer
}

// Court is one court on one day. Its desk handles the requests one after the
// other; the web page reads the hours without asking the desk.
type Court struct {
	requests chan request
	done     chan struct{}
	hours    atomic.Uint32 // bit h is set when hour h is booked
}

// Open starts the desk, which works until ctx ends.
func Open(ctx context.Context) *Court {
	c := &Court{
		requests: make(chan request),
		done:     make(chan struct{}),
	}
	go c.desk(ctx)
	return c
}

func (c *Court) desk(ctx context.Context) {
	defer close(c.done)
	for {
		select {
		case r := <-c.requests:
			r.reply <- c.handle(r)
		case <-ctx.Done():
			return
		}
	}
}

// handle runs on the desk.
func (c *Court) handle(r request) error {
	booked := c.hours.Load()
	if r.cancel {
		c.hours.Store(booked &^ r.mask)
		return nil
	}
	if booked&r.mask != 0 {
		return ErrTaken
	}
	c.hours.Store(booked | r.mask)
	return nil
}

// ask hands a request to the desk. A request that the desk has taken is
// always answered.
func (c *Court) ask(mask uint32, cancel bool) error {
	r := request{mask: mask, cancel: cancel, reply: make(chan error, 1)}
	select {
	case c.requests <- r:
		return <-r.reply
	case <-c.done:
		return ErrClosed
	}
}

func span(from, n int) (uint32, error) {
	if n <= 0 || from < 7 || from+n > 22 {
		return 0, ErrHours
	}
	return (1<<n - 1) << from, nil
}

// Book reserves n hours from the given hour on.
func (c *Court) Book(from, n int) error {
	mask, err := span(from, n)
	if err != nil {
		return err
	}
	return c.ask(mask, false)
}

// Cancel gives hours back.
func (c *Court) Cancel(from, n int) error {
	mask, err := span(from, n)
	if err != nil {
		return err
	}
	return c.ask(mask, true)
}

// Booked returns the number of booked hours for the web page.
func (c *Court) Booked() int {
	return bits.OnesCount32(c.hours.Load())
}
