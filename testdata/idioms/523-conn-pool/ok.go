// Package ok keeps idle connections to peers.
package ok

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"
)

var errShutdown = errors.New("transport is shut down")

type conn struct {
	target string
	nc     net.Conn
	w      *bufio.Writer
}

func (c *conn) release() error { return c.nc.Close() }

// Transport dials peers and reuses connections.
type Transport struct {
	poolMu sync.Mutex
	pool   map[string][]*conn
	max    int

	timeout time.Duration

	shutdown   bool
	shutdownCh chan struct{}
	shutdownMu sync.RWMutex
}

// NewTransport returns a transport that keeps up to max idle connections per peer.
func NewTransport(max int, timeout time.Duration) *Transport {
	return &Transport{
		pool:       make(map[string][]*conn),
		max:        max,
		timeout:    timeout,
		shutdownCh: make(chan struct{}),
	}
}

// CloseIdle closes the connections that nobody uses.
func (t *Transport) CloseIdle() {
	t.poolMu.Lock()
	defer t.poolMu.Unlock()
	for target, cs := range t.pool {
		for _, c := range cs {
			c.release()
		}
		delete(t.pool, target)
	}
}

// IsShutdown tells whether Close was called.
func (t *Transport) IsShutdown() bool {
	select {
	case <-t.shutdownCh:
		return true
	default:
		return false
	}
}

// Close ends the use of the transport.
func (t *Transport) Close() error {
	t.shutdownMu.Lock()
	if !t.shutdown {
		close(t.shutdownCh)
		t.shutdown = true
	}
	t.shutdownMu.Unlock()
	t.CloseIdle()
	return nil
}

func (t *Transport) pooled(target string) *conn {
	t.poolMu.Lock()
	defer t.poolMu.Unlock()
	cs := t.pool[target]
	if len(cs) == 0 {
		return nil
	}
	n := len(cs) - 1
	c := cs[n]
	cs[n] = nil
	t.pool[target] = cs[:n]
	return c
}

func (t *Transport) get(target string) (*conn, error) {
	if c := t.pooled(target); c != nil {
		return c, nil
	}
	if t.IsShutdown() {
		return nil, errShutdown
	}
	nc, err := net.DialTimeout("tcp", target, t.timeout)
	if err != nil {
		return nil, err
	}
	return &conn{target: target, nc: nc, w: bufio.NewWriter(nc)}, nil
}

func (t *Transport) put(c *conn) {
	t.poolMu.Lock()
	defer t.poolMu.Unlock()
	cs := t.pool[c.target]
	if !t.IsShutdown() && len(cs) < t.max {
		t.pool[c.target] = append(cs, c)
		return
	}
	c.release()
}

// Send writes one message to a peer.
func (t *Transport) Send(target string, msg []byte) error {
	c, err := t.get(target)
	if err != nil {
		return err
	}
	if t.timeout > 0 {
		c.nc.SetDeadline(time.Now().Add(t.timeout))
	}
	if _, err := c.w.Write(msg); err != nil {
		c.release()
		return err
	}
	if err := c.w.Flush(); err != nil {
		c.release()
		return err
	}
	t.put(c)
	return nil
}

// Idle returns the number of idle connections to a peer.
func (t *Transport) Idle(target string) int {
	t.poolMu.Lock()
	defer t.poolMu.Unlock()
	return len(t.pool[target])
}
