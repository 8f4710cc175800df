// Package fleet sends commands to the transport robots of a warehouse over
// one radio link and matches their answers to the commands.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Errors of a call.
var (
	ErrLinkDown = errors.New("fleet: link is down")
	ErrRefused  = errors.New("fleet: robot refused")
)

// Frame is a message on the link, in either direction. An answer carries the
// ID of the command.
type Frame struct {
	ID      uint64
	Robot   string
	Verb    string
	Refused bool
	Body    []byte
}

// Link is the radio. Send may be called by many goroutines, Receive by one.
type Link interface {
	Send(Frame) error
	Receive() (Frame, error)
}

// calls are the commands that wait for an answer.
type calls struct {
	open  sync.Map // uint64 -> chan Frame
	stray atomic.Uint64
}

// register makes an entry for a command and returns where its answer arrives.
func (c *calls) register(id uint64) <-chan Frame {
	ch := make(chan Frame, 1)
	c.open.Store(id, ch)
	return ch
}

// settle passes an answer to its command. Answers nobody waits for, as those
// to commands given up by the operator, are counted and dropped.
func (c *calls) settle(f Frame) {
	v, ok := c.open.LoadAndDelete(f.ID)
	if !ok {
		c.stray.Add(1)
		return
	}
	v.(chan Frame) <- f
}

// forget removes the entry of a command that no longer waits.
func (c *calls) forget(id uint64) {
	c.open.Delete(id)
}

// Controller is the warehouse's end of the link. Its methods are safe for
// concurrent use.
type Controller struct {
	link  Link
	seq   atomic.Uint64
	calls calls

	down chan struct{} // closed when the receiver has ended
	err  error         // why; valid once down is closed
}

// Start begins to receive on the link.
func Start(link Link) *Controller {
	c := &Controller{link: link, down: make(chan struct{})}
	go c.receive()
	return c
}

// receive passes the answers on until the link fails.
func (c *Controller) receive() {
	defer close(c.down)
	for {
		f, err := c.link.Receive()
		if err != nil {
			c.err = err
			return
		}
		c.calls.settle(f)
	}
}

// Call sends a command to a robot and returns the body of its answer.
func (c *Controller) Call(ctx context.Context, robot, verb string, body []byte) ([]byte, error) {
	id := c.seq.Add(1)
	if err := c.link.Send(Frame{ID: id, Robot: robot, Verb: verb, Body: body}); err != nil {
		return nil, fmt.Errorf("fleet: %s %s: %w", robot, verb, err)
	}
	answer := c.calls.register(id)
	defer c.calls.forget(id)

	select {
	case f := <-answer:
		return open(f)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.down:
		// The answer may have been the last thing the link has brought.
		select {
		case f := <-answer:
			return open(f)
		default:
			return nil, fmt.Errorf("%w: %w", ErrLinkDown, c.err)
		}
	}
}

func open(f Frame) ([]byte, error) {
	if f.Refused {
		return nil, fmt.Errorf("%w: %s: %s", ErrRefused, f.Robot, f.Body)
	}
	return f.Body, nil
}

// Lift tells a robot to lift the rack it stands under.
func (c *Controller) Lift(ctx context.Context, robot string) error {
	_, err := c.Call(ctx, robot, "lift", nil)
	return err
}

// Goto sends a robot to a cell of the floor plan and returns the cell it
// reports to have reached.
func (c *Controller) Goto(ctx context.Context, robot, cell string) (string, error) {
	b, err := c.Call(ctx, robot, "goto", []byte(cell))
	return string(b), err
}

// Stray returns how many answers had no command waiting.
func (c *Controller) Stray() uint64 { return c.calls.stray.Load() }
