package rpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("rpc: connection closed")

type Frame struct {
	ID   uint64
	Body []byte
}

// Conn is one framed connection.
type Conn interface {
	Write(Frame) error
	Read() (Frame, error)
}

// Client multiplexes calls over one connection.
type Client struct {
	conn    Conn
	lastID  atomic.Uint64
	pending sync.Map
	down    chan struct{}
}

func NewClient(c Conn) *Client {
	cl := &Client{conn: c, down: make(chan struct{})}
	go cl.receive()
	return cl
}

func (c *Client) receive() {
	defer close(c.down)
	for {
		f, err := c.conn.Read()
		if err != nil {
			return
		}
		v, ok := c.pending.LoadAndDelete(f.ID)
		if !ok {
			continue
		}
		v.(chan Frame) <- f
	}
}

func (c *Client) await(id uint64) <-chan Frame {
	reply := make(chan Frame, 1)
	c.pending.Store(id, reply)
	return reply
}

// Call sends body and waits for the matching reply.
func (c *Client) Call(ctx context.Context, body []byte) ([]byte, error) {
	id := c.lastID.Add(1)
	reply := c.await(id)
	defer c.pending.Delete(id)
	if err := c.conn.Write(Frame{ID: id, Body: body}); err != nil {
		return nil, err
	}
	select {
	case f := <-reply:
		return f.Body, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.down:
		return nil, ErrClosed
	}
}

// Notify sends body without waiting for an answer.
func (c *Client) Notify(body []byte) error {
	return c.conn.Write(Frame{Body: body})
}
