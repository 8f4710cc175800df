// Package container drives the life cycle of one container.
package container

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// State of a container.
type State int

const (
	Created State = iota
	Starting
	Running
	Stopping
	Stopped
	Removed
)

var names = [...]string{"created", "starting", "running", "stopping", "stopped", "removed"}

func (s State) String() string { return names[s] }

// ErrRemoved is returned by all operations after Remove.
var ErrRemoved = errors.New("container: removed")

// Runtime is the low-level runtime.
type Runtime interface {
	Start(ctx context.Context, id string) error
	Stop(ctx context.Context, id string) error
	Delete(id string) error
}

// Container is safe for concurrent use.
type Container struct {
	id string
	rt Runtime

	mu       sync.Mutex
	state    State
	settled  chan struct{} // closed when the transition in progress is over
	restarts int
}

// New returns a created container.
func New(id string, rt Runtime) *Container {
	return &Container{id: id, rt: rt}
}

// State returns the state, which may change at any time.
func (c *Container) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Restarts returns how often a stopped container was started again.
func (c *Container) Restarts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restarts
}

// begin moves to a transitional state as soon as no other transition is going
// on. It returns the state before, or false when the container is at want.
func (c *Container) begin(ctx context.Context, to, want State) (State, bool, error) {
	for {
		c.mu.Lock()
		switch c.state {
		case Removed:
			c.mu.Unlock()
			return Removed, false, ErrRemoved
		case want:
			c.mu.Unlock()
			return want, false, nil
		case Starting, Stopping:
			wait := c.settled
			c.mu.Unlock()
			select {
			case <-wait:
			case <-ctx.Done():
				return 0, false, ctx.Err()
			}
			continue
		}
		from := c.state
		c.state = to
		c.settled = make(chan struct{})
		c.mu.Unlock()
		return from, true, nil
	}
}

// settle ends the transition of the caller.
func (c *Container) settle(to State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = to
	close(c.settled)
}

func (c *Container) started(from State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = Running
	if from == Stopped {
		c.restarts++
	}
	close(c.settled)
}

// Start starts the container unless it runs.
func (c *Container) Start(ctx context.Context) error {
	from, ok, err := c.begin(ctx, Starting, Running)
	if !ok {
		return err
	}
	if err := c.rt.Start(ctx, c.id); err != nil {
		c.settle(from)
		return fmt.Errorf("container: start %s: %w", c.id, err)
	}
	c.started(from)
	return nil
}

// Stop stops the container. One that was never started becomes stopped.
func (c *Container) Stop(ctx context.Context) error {
	from, ok, err := c.begin(ctx, Stopping, Stopped)
	if !ok {
		return err
	}
	if from == Running {
		if err := c.rt.Stop(ctx, c.id); err != nil {
			c.settle(from)
			return fmt.Errorf("container: stop %s: %w", c.id, err)
		}
	}
	c.settle(Stopped)
	return nil
}

// Remove deletes a container that does not run.
func (c *Container) Remove() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.state {
	case Removed:
		return nil
	case Created, Stopped:
	default:
		return fmt.Errorf("container: %s is %s", c.id, c.state)
	}
	if err := c.rt.Delete(c.id); err != nil {
		return err
	}
	c.state = Removed
	return nil
}
