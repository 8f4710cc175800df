// Package a manages one backend address of an RPC client.
package a

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// State is the connectivity state of an address.
type State int

const (
	Idle State = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

var (
	ErrConnClosing = errors.New("rpc: connection is closing")
	ErrRemoved     = errors.New("rpc: address removed by the balancer")
	ErrNotReady    = errors.New("rpc: not connected")
)

// Transport is an established connection. GracefulClose waits for the
// streams that are under way. The reader of a transport starts with the first
// stream.
type Transport interface {
	GracefulClose(reason error)
}

// Dialer opens transports.
type Dialer func(ctx context.Context, addr string) (Transport, error)

// AddrConn is the connection to one address.
type AddrConn struct {
	addr    string
	dial    Dialer
	timeout time.Duration

	mu        sync.Mutex
	state     State
	transport Transport
	lastErr   error
	done      chan struct{} // closed at shutdown

	dials    atomic.Int64
	failures atomic.Int64
}

// New returns an idle connection.
func New(addr string, dial Dialer, timeout time.Duration) *AddrConn {
	return &AddrConn{addr: addr, dial: dial, timeout: timeout, done: make(chan struct{})}
}

// Connect dials unless a connection exists or is being made.
func (ac *AddrConn) Connect(ctx context.Context) error {
	ac.mu.Lock()
	switch ac.state {
	case Shutdown:
		ac.mu.Unlock()
		return ErrConnClosing
	case Connecting, Ready:
		ac.mu.Unlock()
		return nil
	}
	ac.state = Connecting
	ac.mu.Unlock()

	ac.dials.Add(1)
	ctx, cancel := context.WithTimeout(ctx, ac.timeout)
	defer cancel()
	tr, err := ac.dial(ctx, ac.addr)

	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		if tr != nil {
			tr.GracefulClose(ErrConnClosing)
		}
		return ErrConnClosing
	}
	defer ac.mu.Unlock()
	if err != nil {
		ac.failures.Add(1)
		ac.state, ac.lastErr = TransientFailure, err
		return err
	}
	ac.transport, ac.state, ac.lastErr = tr, Ready, nil
	return nil
}

// TransportClosed is called by the reader of tr when the peer went away.
func (ac *AddrConn) TransportClosed(tr Transport, err error) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.transport != tr || ac.state != Ready {
		return
	}
	ac.transport, ac.state, ac.lastErr = nil, Idle, err
}

// Close is called when the client is closed.
func (ac *AddrConn) Close() { ac.tearDown(ErrConnClosing) }

// Remove is called by the balancer when the resolver drops the address.
func (ac *AddrConn) Remove() { ac.tearDown(ErrRemoved) }

// tearDown ends the connection for good.
func (ac *AddrConn) tearDown(reason error) {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return
	}
	tr := ac.transport
	ac.transport = nil
	ac.state, ac.lastErr = Shutdown, reason
	close(ac.done)
	ac.mu.Unlock()

	if tr != nil {
		start := time.Now()
		tr.GracefulClose(reason)
		log.Printf("rpc: %s drained in %v: %v", ac.addr, time.Since(start), reason)
	}
}

// Done is closed when the address is no longer used.
func (ac *AddrConn) Done() <-chan struct{} { return ac.done }

// Transport returns the connection for a new stream.
func (ac *AddrConn) Transport() (Transport, error) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Shutdown {
		return nil, ErrConnClosing
	}
	if ac.transport == nil {
		if ac.lastErr != nil {
			return nil, ac.lastErr
		}
		return nil, ErrNotReady
	}
	return ac.transport, nil
}

// State is the current state and the last error.
func (ac *AddrConn) State() (State, error) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	return ac.state, ac.lastErr
}
