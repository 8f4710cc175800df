// Package a is the client side of a request and response protocol over one
// connection.
package a

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned for calls on a closed client.
var ErrClosed = errors.New("rpc: client is closed")

// Message is a request or a response; ID ties the two together.
type Message struct {
	ID   uint64
	Body []byte
	Err  string
}

// Transport carries messages. Close makes Receive return an error.
type Transport interface {
	Send(Message) error
	Receive() (Message, error)
	Close() error
}

type result struct {
	body []byte
	err  error
}

// call waits for its response. Whoever has taken the call out of the table
// puts one result into done.
type call struct {
	done chan result
}

// Client sends calls from several goroutines.
type Client struct {
	tr     Transport
	sendMu sync.Mutex

	mu      sync.Mutex
	nextID  uint64
	pending map[uint64]*call
	err     error // why the client is of no use any more
}

// NewClient starts a client on a transport.
func NewClient(tr Transport) *Client {
	c := &Client{tr: tr, pending: make(map[uint64]*call)}
	go c.receive()
	return c
}

// add puts a call into the table.
func (c *Client) add() (uint64, *call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, nil, c.err
	}
	c.nextID++
	cl := &call{done: make(chan result, 1)}
	c.pending[c.nextID] = cl
	return c.nextID, cl, nil
}

// take removes a call; it returns nil if somebody else has taken it.
func (c *Client) take(id uint64) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	cl := c.pending[id]
	delete(c.pending, id)
	return cl
}

func (c *Client) send(m Message) error {
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	return c.tr.Send(m)
}

// Call sends a request and waits for the response.
func (c *Client) Call(ctx context.Context, body []byte) ([]byte, error) {
	id, cl, err := c.add()
	if err != nil {
		return nil, err
	}
	if err := c.send(Message{ID: id, Body: body}); err != nil {
		if own := c.take(id); own != nil {
			own.done <- result{err: err}
		}
		r := <-cl.done
		return r.body, r.err
	}
	select {
	case r := <-cl.done:
		return r.body, r.err
	case <-ctx.Done():
		if own := c.take(id); own != nil {
			own.done <- result{err: ctx.Err()}
		}
		// If the response came just now, it is as good as any.
		r := <-cl.done
		return r.body, r.err
	}
}

// receive hands the responses to their calls. Responses to calls that gave up
// are dropped.
func (c *Client) receive() {
	for {
		m, err := c.tr.Receive()
		if err != nil {
			c.fail(err)
			return
		}
		cl := c.take(m.ID)
		if cl == nil {
			continue
		}
		r := result{body: m.Body}
		if m.Err != "" {
			r = result{err: errors.New(m.Err)}
		}
		cl.done <- r
	}
}

// fail ends all the calls and refuses further ones; the first reason counts.
func (c *Client) fail(reason error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = reason
	}
	reason = c.err
	calls := c.pending
	c.pending = make(map[uint64]*call)
	c.mu.Unlock()
	for _, cl := range calls {
		cl.done <- result{err: reason}
	}
}

// Pending returns the number of calls without a response.
func (c *Client) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// Close ends the client.
func (c *Client) Close() error {
	c.fail(ErrClosed)
	return c.tr.Close()
}
