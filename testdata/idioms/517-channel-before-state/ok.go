// Package ok lets callers wait for a change of a connection's state.
package ok

import (
	"context"
	"errors"
	"sync"
)

// State of a connection.
type State int

// The states.
const (
	Idle State = iota
	Connecting
	Ready
	Failed
	Shutdown
)

var errShutdown = errors.New("connection is shut down")

// states holds the state and a channel that is closed when it changes.
type states struct {
	mu     sync.Mutex
	state  State
	notify chan struct{}
}

func (s *states) set(st State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == Shutdown || s.state == st {
		return
	}
	s.state = st
	if s.notify != nil {
		close(s.notify)
		s.notify = nil
	}
}

func (s *states) get() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *states) changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notify == nil {
		s.notify = make(chan struct{})
	}
	return s.notify
}

// Conn is a connection that is dialed in the background.
type Conn struct {
	states states
	dial   func(context.Context) error

	mu   sync.Mutex
	busy bool
}

// NewConn returns an idle connection.
func NewConn(dial func(context.Context) error) *Conn { return &Conn{dial: dial} }

// State returns the state at some moment during the call.
func (c *Conn) State() State { return c.states.get() }

// WaitChange waits until the state is not from.
func (c *Conn) WaitChange(ctx context.Context, from State) bool {
	ch := c.states.changed()
	if c.states.get() != from {
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-ch:
		return true
	}
}

// Connect starts dialing if nobody does.
func (c *Conn) Connect(ctx context.Context) {
	c.mu.Lock()
	if c.busy || c.states.get() == Ready || c.states.get() == Shutdown {
		c.mu.Unlock()
		return
	}
	c.busy = true
	c.mu.Unlock()

	go func() {
		c.states.set(Connecting)
		err := c.dial(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.busy = false
		if err != nil {
			c.states.set(Failed)
			return
		}
		c.states.set(Ready)
	}()
}

// WaitReady connects and waits until the connection can be used.
func (c *Conn) WaitReady(ctx context.Context) error {
	for {
		ch := c.states.changed()
		switch c.State() {
		case Ready:
			return nil
		case Shutdown:
			return errShutdown
		case Idle, Failed:
			c.Connect(ctx)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ch:
		}
	}
}

// Close shuts the connection down for good.
func (c *Conn) Close() { c.states.set(Shutdown) }
