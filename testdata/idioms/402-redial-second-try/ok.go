// Package ok writes log lines to a remote collector.
package ok

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Target says where lines go.
type Target struct {
	Network     string
	Address     string
	DialTimeout time.Duration
	SoftStart   bool
}

// Key identifies the target.
func (t Target) Key() string { return t.Network + "/" + t.Address }

func (t Target) dial() (net.Conn, error) {
	return net.DialTimeout(t.Network, t.Address, t.DialTimeout)
}

// Open connects to the target.
func (t Target) Open() (io.WriteCloser, error) {
	c := &collector{target: t}
	conn, err := t.dial()
	if err != nil {
		if !t.SoftStart {
			return nil, fmt.Errorf("dialing %s: %w", t.Key(), err)
		}
		fmt.Fprintf(os.Stderr, "collector %s is not there yet: %v\n", t.Key(), err)
		conn = nullConn{}
	}
	c.mu.Lock()
	c.conn = conn
	c.mu.Unlock()
	return c, nil
}

// collector is a connection that is dialled again when a write fails. All
// goroutines of the program write to it.
type collector struct {
	target Target

	mu       sync.RWMutex
	conn     net.Conn
	closed   bool
	lastDial time.Time
}

// Write sends one line.
func (c *collector) Write(b []byte) (n int, err error) {
	c.mu.RLock()
	conn := c.conn
	c.mu.RUnlock()
	if n, err = conn.Write(b); err == nil {
		return n, nil
	}

	// There is a problem with the connection: lock it and try to fix it.
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}

	// If several writes failed on the same connection, one of them may have
	// replaced it by now.
	if n, err = c.conn.Write(b); err == nil {
		return n, nil
	}

	// Do not dial in a tight loop; standard error has to do meanwhile.
	if time.Since(c.lastDial) < 10*time.Second {
		os.Stderr.Write(b)
		return n, err
	}
	c.lastDial = time.Now()
	conn2, err2 := c.target.dial()
	if err2 != nil {
		os.Stderr.Write(b)
		return n, errors.Join(err, err2)
	}
	if n, err = conn2.Write(b); err != nil {
		conn2.Close()
		return n, err
	}
	c.conn.Close()
	c.conn = conn2
	return n, nil
}

// Close ends the connection.
func (c *collector) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return c.conn.Close()
}

// Remote returns the address of the other side.
func (c *collector) Remote() net.Addr {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.conn.RemoteAddr()
}

// nullConn stands in until the first dial succeeds.
type nullConn struct{ net.Conn }

func (nullConn) Write([]byte) (int, error) { return 0, errors.New("not connected") }
func (nullConn) Close() error              { return nil }
func (nullConn) RemoteAddr() net.Addr      { return nil }
