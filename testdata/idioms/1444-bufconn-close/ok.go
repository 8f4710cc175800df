// Package bufconn provides a net.Listener implemented by a buffer and related
// dialing functionality.
package bufconn

import (
	"errors"
	"net"
	"sync"
)

// Listener implements a net.Listener that creates local, buffered net.Conns
// via its Accept and Dial method.
type Listener struct {
	mu   sync.Mutex
	ch   chan net.Conn
	done chan struct{}
	open map[net.Conn]struct{} // nil after Close
}

var errClosed = errors.New("closed")

type addr struct{}

func (addr) Network() string { return "bufconn" }
func (addr) String() string  { return "bufconn" }

// Listen returns a Listener that can only be contacted by its own Dialers and
// creates connections between the two.
func Listen() *Listener {
	return &Listener{
		ch:   make(chan net.Conn),
		done: make(chan struct{}),
		open: make(map[net.Conn]struct{}),
	}
}

// Accept blocks until Dial is called, then returns a net.Conn for the server
// half of the connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case <-l.done:
		return nil, errClosed
	case c := <-l.ch:
		return c, nil
	}
}

// Close stops the listener.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.done:
		// Already closed.
		return nil
	default:
		close(l.done)
	}
	for c := range l.open {
		c.Close()
	}
	l.open = nil
	return nil
}

// Addr reports the address of the listener.
func (l *Listener) Addr() net.Addr { return addr{} }

// Dial creates an in-memory full-duplex network connection, unblocks Accept by
// providing it the server half of the connection, and returns the client half
// of the connection.
func (l *Listener) Dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case <-l.done:
		client.Close()
		server.Close()
		return nil, errClosed
	case l.ch <- server:
	}
	l.track(client)
	return client, nil
}

func (l *Listener) track(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		c.Close()
		return
	}
	l.open[c] = struct{}{}
}

// Closed reports whether Close has been called.
func (l *Listener) Closed() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}
