package gateway

import (
	"errors"
	"sync"
)

// ErrClosed is returned for connections which are gone.
var ErrClosed = errors.New("gateway: connection closed")

// ErrSlow is returned when a peer does not drain its frames.
var ErrSlow = errors.New("gateway: send queue full")

// Frame is one message to a browser.
type Frame struct {
	Room string
	Body []byte
}

// Conn is one upgraded websocket.
type Conn struct {
	ID  string
	out chan Frame

	mu     sync.Mutex
	closed bool
	done   chan struct{}
}

// NewConn returns a connection with room for depth frames.
func NewConn(id string, depth int) *Conn {
	return &Conn{ID: id, out: make(chan Frame, depth), done: make(chan struct{})}
}

func (c *Conn) alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed
}

func (c *Conn) send(f Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	select {
	case c.out <- f:
		return nil
	default:
		return ErrSlow
	}
}

// markClosed reports whether this call closed the connection.
func (c *Conn) markClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closed = true
	close(c.done)
	return true
}

// Pump writes frames until the connection is closed.
func (c *Conn) Pump(write func(Frame) error) error {
	for {
		select {
		case <-c.done:
			return nil
		case f := <-c.out:
			if err := write(f); err != nil {
				return err
			}
		}
	}
}
