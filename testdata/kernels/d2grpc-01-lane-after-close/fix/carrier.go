// Package fix carries many lanes over one connection.
package fix

import (
	"context"
	"errors"
	"io"
	"sync"
)

var errClosing = errors.New("carrier is closing")

type carrierState int

const (
	usable carrierState = iota
	closing
)

// allowance is an amount that is given out through a channel.
type allowance struct {
	mu sync.Mutex
	n  int
	c  chan int
}

func newAllowance(n int) *allowance {
	a := &allowance{c: make(chan int, 1)}
	a.add(n)
	return a
}

func (a *allowance) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case m := <-a.c:
		n += m
	default:
	}
	a.n += n
	if a.n <= 0 {
		return
	}
	a.c <- a.n
	a.n = 0
}

func (a *allowance) acquire() <-chan int { return a.c }

func await(ctx context.Context, stop <-chan struct{}, c <-chan int) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-stop:
		return 0, errClosing
	case n := <-c:
		return n, nil
	}
}

// lane is one conversation.
type lane struct {
	id     uint32
	method string

	mu   sync.Mutex
	done bool
	err  error
	over chan struct{}
}

func (l *lane) finish(err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return false
	}
	l.done, l.err = true, err
	close(l.over)
	return true
}

// Wait waits for the end of the lane.
func (l *lane) Wait() error {
	<-l.over
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

type carrier struct {
	conn io.WriteCloser

	// writable holds a token; who takes it may write to conn.
	writable chan int
	stop     chan struct{}
	slots    *allowance

	mu     sync.Mutex // guards the following
	state  carrierState
	lanes  map[uint32]*lane
	nextID uint32
}

func newCarrier(conn io.WriteCloser, maxLanes int) *carrier {
	c := &carrier{
		conn:     conn,
		writable: make(chan int, 1),
		stop:     make(chan struct{}),
		slots:    newAllowance(maxLanes),
		lanes:    make(map[uint32]*lane),
		nextID:   1,
	}
	c.writable <- 0
	return c
}

func (c *carrier) newLaneLocked(method string) *lane {
	l := &lane{id: c.nextID, method: method, over: make(chan struct{})}
	c.nextID += 2
	return l
}

// OpenLane starts a lane.
func (c *carrier) OpenLane(ctx context.Context, method string) (*lane, error) {
	c.mu.Lock()
	if c.state != usable {
		c.mu.Unlock()
		return nil, errClosing
	}
	c.mu.Unlock()

	n, err := await(ctx, c.stop, c.slots.acquire())
	if err != nil {
		return nil, err
	}
	// Returns the rest.
	if n > 1 {
		c.slots.add(n - 1)
	}
	if _, err := await(ctx, c.stop, c.writable); err != nil {
		c.slots.add(1)
		return nil, err
	}
	c.mu.Lock()
	if c.state != usable {
		c.mu.Unlock()
		c.slots.add(1)
		c.writable <- 0
		return nil, errClosing
	}
	l := c.newLaneLocked(method)
	c.lanes[l.id] = l
	c.mu.Unlock()

	_, err = c.conn.Write([]byte(method + "\n"))
	c.writable <- 0
	if err != nil {
		c.CloseLane(l, err)
		return nil, err
	}
	return l, nil
}

// CloseLane ends a lane and gives its slot back.
func (c *carrier) CloseLane(l *lane, err error) {
	c.mu.Lock()
	delete(c.lanes, l.id)
	c.mu.Unlock()
	if l.finish(err) {
		c.slots.add(1)
	}
}

// Close ends the carrier and all lanes.
func (c *carrier) Close() error {
	c.mu.Lock()
	if c.state == closing {
		c.mu.Unlock()
		return errClosing
	}
	c.state = closing
	c.mu.Unlock()
	close(c.stop)
	err := c.conn.Close()

	c.mu.Lock()
	lanes := c.lanes
	c.lanes = nil
	c.mu.Unlock()
	for _, l := range lanes {
		l.finish(errClosing)
	}
	return err
}
