// Package wire is the client of a simple RPC protocol: JSON messages over one
// connection, with answers in any order.
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
)

// ErrShutdown is returned for calls after Close.
var ErrShutdown = errors.New("wire: connection is shut down")

type request struct {
	ID     uint64 `json:"id"`
	Method string `json:"method"`
	Params any    `json:"params"`
}

type response struct {
	ID     uint64          `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
}

type outcome struct {
	resp response
	err  error
}

// Client is safe for concurrent use.
type Client struct {
	conn net.Conn

	wmu sync.Mutex // held while writing to conn

	mu      sync.Mutex
	nextID  uint64
	pending map[uint64]chan outcome
	err     error // set when the connection is of no more use
}

// NewClient starts a client on a connection.
func NewClient(conn net.Conn) *Client {
	c := &Client{conn: conn, pending: make(map[uint64]chan outcome)}
	go c.read()
	return c
}

// Call sends a request and waits for the answer.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	id, ch, err := c.register()
	if err != nil {
		return err
	}
	msg, err := json.Marshal(request{ID: id, Method: method, Params: params})
	if err != nil {
		c.take(id)
		return err
	}
	if err := c.write(append(msg, '\n')); err != nil {
		// The message may have been cut short.
		c.fail(fmt.Errorf("wire: write: %w", err))
	}
	select {
	case out := <-ch:
		if out.err != nil {
			return out.err
		}
		if out.resp.Error != "" {
			return fmt.Errorf("wire: %s: %s", method, out.resp.Error)
		}
		return json.Unmarshal(out.resp.Result, result)
	case <-ctx.Done():
		c.take(id)
		return ctx.Err()
	}
}

func (c *Client) register() (uint64, chan outcome, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, nil, c.err
	}
	c.nextID++
	ch := make(chan outcome, 1)
	c.pending[c.nextID] = ch
	return c.nextID, ch, nil
}

// take removes a pending call. Whoever gets the channel is the only one to
// send on it.
func (c *Client) take(id uint64) (chan outcome, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, ok := c.pending[id]
	delete(c.pending, id)
	return ch, ok
}

func (c *Client) write(msg []byte) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	_, err := c.conn.Write(msg)
	return err
}

func (c *Client) read() {
	dec := json.NewDecoder(c.conn)
	for {
		var resp response
		if err := dec.Decode(&resp); err != nil {
			c.fail(fmt.Errorf("wire: read: %w", err))
			return
		}
		if ch, ok := c.take(resp.ID); ok {
			ch <- outcome{resp: resp}
		}
	}
}

// fail ends all calls with an error. The first error is the one that counts.
func (c *Client) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	calls := c.pending
	c.pending = nil
	c.mu.Unlock()

	c.conn.Close()
	for _, ch := range calls {
		ch <- outcome{err: err}
	}
}

// Close shuts the connection down. Calls that wait return ErrShutdown.
func (c *Client) Close() { c.fail(ErrShutdown) }
