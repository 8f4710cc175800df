// Package uplink is the agent's client of the control plane. All calls share
// one session, which is made anew after a failure.
package uplink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"sync"
	"time"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("uplink: client closed")

type request struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

type response struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// wireError means that a session cannot be used any more.
type wireError struct{ err error }

func (e *wireError) Error() string { return e.err.Error() }
func (e *wireError) Unwrap() error { return e.err }

type session struct {
	conn net.Conn

	mu     sync.Mutex
	enc    *json.Encoder
	dec    *json.Decoder
	broken *wireError
}

// exchange sends one request and waits for its answer; the protocol has no
// request numbers, so exchanges on a session take turns.
func (s *session) exchange(ctx context.Context, req request) (response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var resp response
	if s.broken != nil {
		return resp, s.broken
	}
	if err := ctx.Err(); err != nil {
		return resp, err
	}
	if err := s.roundTrip(ctx, req, &resp); err != nil {
		s.broken = &wireError{err}
		return resp, s.broken
	}
	return resp, nil
}

func (s *session) roundTrip(ctx context.Context, req request, resp *response) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(time.Minute)
	}
	if err := s.conn.SetDeadline(deadline); err != nil {
		return err
	}
	if err := s.enc.Encode(req); err != nil {
		return err
	}
	return s.dec.Decode(resp)
}

// Client is safe for concurrent use.
type Client struct {
	addr   string
	dialer net.Dialer

	mu     sync.Mutex
	cur    *session
	closed bool
}

// New returns a client that pings the server every interval until ctx ends.
func New(ctx context.Context, addr string, interval time.Duration) *Client {
	c := &Client{addr: addr, dialer: net.Dialer{Timeout: 5 * time.Second}}
	go c.keepalive(ctx, interval)
	return c
}

func (c *Client) keepalive(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		pctx, cancel := context.WithTimeout(ctx, interval)
		_, err := c.Call(pctx, "ping", nil)
		cancel()
		if errors.Is(err, ErrClosed) {
			return
		}
		if err != nil {
			log.Printf("uplink: ping: %v", err)
		}
	}
}

// Call makes one request. A call that fails on the wire is not repeated,
// since it may have been carried out.
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := s.exchange(ctx, request{Method: method, Params: params})
	if err != nil {
		var broken *wireError
		if errors.As(err, &broken) {
			c.reset(s)
		}
		return nil, fmt.Errorf("uplink: %s: %w", method, err)
	}
	if resp.Error != "" {
		return nil, fmt.Errorf("uplink: %s: %s", method, resp.Error)
	}
	return resp.Result, nil
}

// session returns the current session. Callers wait for one another during
// the dial, which would otherwise be made once by each.
func (c *Client) session(ctx context.Context) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if c.cur != nil {
		return c.cur, nil
	}
	conn, err := c.dialer.DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return nil, err
	}
	c.cur = &session{conn: conn, enc: json.NewEncoder(conn), dec: json.NewDecoder(conn)}
	return c.cur, nil
}

// reset drops a failed session, so that the next call dials.
func (c *Client) reset(failed *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cur == failed {
		c.cur.conn.Close()
		c.cur = nil
	}
}

// Close ends the session and refuses further calls.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.closed = true
	if c.cur == nil {
		return nil
	}
	err := c.cur.conn.Close()
	c.cur = nil
	return err
}
