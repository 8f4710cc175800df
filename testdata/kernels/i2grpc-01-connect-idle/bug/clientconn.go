// Package bug manages the connections of a client to one service.
package bug

import (
	"context"
	"errors"
	"sync"
	"time"
)

// State is the state of a connection.
type State int

// The states of a connection.
const (
	Idle State = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

// ErrClosing is returned for connections that have been closed.
var ErrClosing = errors.New("client: the connection is closing")

// Transport is an established connection.
type Transport interface {
	Close()
	Done() <-chan struct{} // closed when the connection is down
}

// ClientConn is a set of connections. It is safe for concurrent use.
type ClientConn struct {
	dial   func(ctx context.Context, addr string) (Transport, error)
	notify func(addr string, s State)

	mu    sync.Mutex
	conns map[*addrConn]struct{}
}

// NewClientConn calls notify, which must not block, for every change of a
// state.
func NewClientConn(dial func(context.Context, string) (Transport, error), notify func(string, State)) *ClientConn {
	return &ClientConn{dial: dial, notify: notify, conns: make(map[*addrConn]struct{})}
}

// NewAddrConn adds an idle connection.
func (cc *ClientConn) NewAddrConn(addr string) (*addrConn, error) {
	ac := &addrConn{cc: cc, addr: addr}
	ac.ctx, ac.cancel = context.WithCancel(context.Background())
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.conns == nil {
		return nil, ErrClosing
	}
	cc.conns[ac] = struct{}{}
	return ac, nil
}

// Close closes all connections.
func (cc *ClientConn) Close() {
	cc.mu.Lock()
	conns := cc.conns
	cc.conns = nil
	cc.mu.Unlock()
	for ac := range conns {
		ac.tearDown()
	}
}

type addrConn struct {
	cc     *ClientConn
	addr   string
	ctx    context.Context
	cancel context.CancelFunc

	mu         sync.Mutex
	state      State
	transport  Transport // the current one, if any
	backoffIdx int
}

// updateState is called with mu held.
func (ac *addrConn) updateState(s State) {
	if ac.state == s {
		return
	}
	ac.state = s
	ac.cc.notify(ac.addr, s)
}

// Connect starts to connect. It does nothing if the connection is not idle.
func (ac *addrConn) Connect() error {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return ErrClosing
	}
	if ac.state != Idle {
		ac.mu.Unlock()
		return nil
	}
	ac.mu.Unlock()

	// Start a goroutine connecting to the server asynchronously.
	go ac.resetTransport()
	return nil
}

// ReadyTransport returns the transport if the connection is ready. An idle
// connection starts to connect.
func (ac *addrConn) ReadyTransport() (Transport, bool) {
	ac.mu.Lock()
	tr, ready, idle := ac.transport, ac.state == Ready, ac.state == Idle
	ac.mu.Unlock()
	if ready {
		return tr, true
	}
	if idle {
		ac.Connect()
	}
	return nil, false
}

// resetTransport connects, again and again, until the connection is closed.
func (ac *addrConn) resetTransport() {
	for {
		ac.mu.Lock()
		if ac.state == Shutdown {
			ac.mu.Unlock()
			return
		}
		backoff := time.Duration(ac.backoffIdx) * time.Second
		ac.updateState(Connecting)
		ac.transport = nil
		ac.mu.Unlock()

		tr, err := ac.cc.dial(ac.ctx, ac.addr)

		ac.mu.Lock()
		if ac.state == Shutdown {
			ac.mu.Unlock()
			if err == nil {
				tr.Close()
			}
			return
		}
		if err != nil {
			ac.updateState(TransientFailure)
			ac.backoffIdx++
			ac.mu.Unlock()
			select {
			case <-time.After(backoff):
			case <-ac.ctx.Done():
				return
			}
			continue
		}
		ac.transport = tr
		ac.backoffIdx = 0
		ac.updateState(Ready)
		ac.mu.Unlock()

		// Block until the transport is down, then start from the top.
		<-tr.Done()
	}
}

func (ac *addrConn) tearDown() {
	ac.mu.Lock()
	ac.updateState(Shutdown)
	tr := ac.transport
	ac.transport = nil
	ac.mu.Unlock()
	ac.cancel()
	if tr != nil {
		tr.Close()
	}
}
