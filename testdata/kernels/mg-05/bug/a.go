package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

var errConnClosing = errors.New("the client connection is closing")

type State int

const (
	Idle State = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

// ClientTransport is an established HTTP/2 connection.
type ClientTransport interface {
	// Serve reads frames until the connection breaks or is closed.
	Serve() error
	Close(err error)
}

// Dialer connects to one address.
type Dialer func(ctx context.Context, addr string) (ClientTransport, error)

// addrConn is the network connection to one backend address.
type addrConn struct {
	addr    string
	dial    Dialer
	onState func(State)
	timeout time.Duration

	ctx    context.Context
	cancel context.CancelFunc

	mu         sync.Mutex
	state      State
	transport  ClientTransport
	backoffIdx int
}

func newAddrConn(parent context.Context, addr string, d Dialer, onState func(State)) *addrConn {
	ac := &addrConn{addr: addr, dial: d, onState: onState, timeout: 20 * time.Second}
	ac.ctx, ac.cancel = context.WithCancel(parent)
	return ac
}

// updateState records a transition and tells the balancer, whose callback only
// queues it. The caller holds ac.mu.
func (ac *addrConn) updateState(s State) {
	if ac.state == s {
		return
	}
	ac.state = s
	ac.onState(s)
}

// Connect leaves the idle state; it does nothing in any other.
func (ac *addrConn) Connect() error {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Shutdown {
		return errConnClosing
	}
	if ac.state != Idle {
		return nil
	}
	ac.updateState(Connecting)
	go ac.createTransport()
	return nil
}

// createTransport makes one attempt to connect.
func (ac *addrConn) createTransport() {
	ac.mu.Lock()
	if ac.state != Connecting {
		ac.mu.Unlock()
		return
	}
	ac.mu.Unlock()

	ctx, cancel := context.WithTimeout(ac.ctx, ac.timeout)
	defer cancel()
	tr, err := ac.dial(ctx, ac.addr)

	ac.mu.Lock()
	defer ac.mu.Unlock()
	if err != nil {
		if ac.state != Shutdown {
			ac.backoffIdx++
			ac.updateState(TransientFailure)
		}
		return
	}
	ac.backoffIdx = 0
	ac.transport = tr
	ac.updateState(Ready)
	go ac.serve(tr)
}

// serve runs a transport and returns to idle when it has broken.
func (ac *addrConn) serve(tr ClientTransport) {
	_ = tr.Serve()
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state != Ready || ac.transport != tr {
		return
	}
	ac.transport = nil
	ac.updateState(Idle)
}

// ResetBackoff lets a failed address be tried again.
func (ac *addrConn) ResetBackoff() {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	ac.backoffIdx = 0
	if ac.state == TransientFailure {
		ac.updateState(Idle)
	}
}

// ReadyTransport returns the transport for a new stream, nil if there is none.
func (ac *addrConn) ReadyTransport() ClientTransport {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state != Ready {
		return nil
	}
	return ac.transport
}

// TearDown ends the connection for good.
func (ac *addrConn) TearDown(err error) {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return
	}
	cur := ac.transport
	ac.transport = nil
	ac.updateState(Shutdown)
	ac.cancel()
	ac.mu.Unlock()
	if cur != nil {
		cur.Close(err)
	}
}
