// Package grpc keeps the connections of a client.
package grpc

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrClientConnClosing indicates that the operation is illegal because
// the ClientConn is closing.
var ErrClientConnClosing = errors.New("grpc: the client connection is closing")

// ConnectivityState is the state of one connection.
type ConnectivityState int

// The states.
const (
	Idle ConnectivityState = iota
	Connecting
	Ready
	Shutdown
)

// ClientConn represents a client connection to an RPC server.
type ClientConn struct {
	ctx    context.Context
	cancel context.CancelFunc
	dialer net.Dialer

	mu    sync.RWMutex
	conns map[*addrConn]struct{} // nil after Close
}

// addrConn is a network connection to a given address.
type addrConn struct {
	cc     *ClientConn
	ctx    context.Context
	cancel context.CancelFunc
	addr   string
	label  string

	mu    sync.Mutex
	state ConnectivityState
	conn  net.Conn
}

// NewClient returns a client without connections.
func NewClient(timeout time.Duration) *ClientConn {
	cc := &ClientConn{dialer: net.Dialer{Timeout: timeout}, conns: make(map[*addrConn]struct{})}
	cc.ctx, cc.cancel = context.WithCancel(context.Background())
	return cc
}

// newAddrConn creates an addrConn for addr and adds it to cc.conns.
func (cc *ClientConn) newAddrConn(addr string) (*addrConn, error) {
	ac := &addrConn{cc: cc, addr: addr}
	ac.ctx, ac.cancel = context.WithCancel(cc.ctx)
	ac.label = "subchannel " + addr
	ac.state = Idle

	// Track ac in cc. This needs to be done before any getTransport(...) is called.
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.conns == nil {
		ac.cancel()
		return nil, ErrClientConnClosing
	}
	cc.conns[ac] = struct{}{}
	return ac, nil
}

// removeAddrConn removes the addrConn in the subConn from clientConn.
func (cc *ClientConn) removeAddrConn(ac *addrConn) {
	cc.mu.Lock()
	_, ok := cc.conns[ac]
	delete(cc.conns, ac)
	cc.mu.Unlock()
	if ok {
		ac.tearDown()
	}
}

// Connect starts a connection in the background.
func (cc *ClientConn) Connect(addr string) error {
	ac, err := cc.newAddrConn(addr)
	if err != nil {
		return err
	}
	go ac.connect()
	return nil
}

// connect starts creating a transport. It does nothing if the ac is not IDLE.
func (ac *addrConn) connect() {
	ac.mu.Lock()
	if ac.state != Idle {
		ac.mu.Unlock()
		return
	}
	ac.state = Connecting
	ac.mu.Unlock()

	conn, err := ac.cc.dialer.DialContext(ac.ctx, "tcp", ac.addr)
	if err != nil {
		ac.cc.removeAddrConn(ac)
		return
	}

	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Shutdown {
		// ac was torn down while the transport was made.
		conn.Close()
		return
	}
	ac.conn, ac.state = conn, Ready
}

func (ac *addrConn) tearDown() {
	ac.cancel()
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Shutdown {
		return
	}
	ac.state = Shutdown
	if ac.conn != nil {
		ac.conn.Close()
		ac.conn = nil
	}
}

// Close tears down the ClientConn and all underlying connections.
func (cc *ClientConn) Close() error {
	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return ErrClientConnClosing
	}
	conns := cc.conns
	cc.conns = nil
	cc.mu.Unlock()
	cc.cancel()
	for ac := range conns {
		ac.tearDown()
	}
	return nil
}
