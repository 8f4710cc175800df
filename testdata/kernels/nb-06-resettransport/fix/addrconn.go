// Package subconn drives the connection attempts of one sub-connection.
package subconn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

var (
	errConnClosing = errors.New("subconn: connection is closing")
	errConnDrain   = errors.New("subconn: connection is draining")
)

type State string

const (
	Idle             State = "IDLE"
	Connecting       State = "CONNECTING"
	Ready            State = "READY"
	TransientFailure State = "TRANSIENT_FAILURE"
	Shutdown         State = "SHUTDOWN"
)

// ClientConn owns the sub-connections of one target.
type ClientConn struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu          sync.RWMutex
	conns       map[*addrConn]struct{}
	lastConnErr error
	resolveNow  func()
}

func NewClientConn(resolveNow func()) *ClientConn {
	cc := &ClientConn{conns: make(map[*addrConn]struct{}), resolveNow: resolveNow}
	cc.ctx, cc.cancel = context.WithCancel(context.Background())
	return cc
}

func (cc *ClientConn) updateConnectionError(err error) {
	cc.mu.Lock()
	cc.lastConnErr = err
	cc.mu.Unlock()
}

// stateListener is told about every change, in order, with ac.mu held.
type stateListener interface {
	UpdateState(s State, err error)
}

type addrConn struct {
	ctx    context.Context
	cancel context.CancelFunc

	cc       *ClientConn
	listener stateListener
	dial     func(ctx context.Context, addr string) (net.Conn, error)

	mu           sync.Mutex
	transport    net.Conn
	addrs        []string
	state        State
	backoffIdx   int
	resetBackoff chan struct{}
}

// NewSubConn registers a sub-connection with the ClientConn.
func (cc *ClientConn) NewSubConn(addrs []string, l stateListener) (*addrConn, error) {
	ac := &addrConn{
		cc:           cc,
		listener:     l,
		addrs:        addrs,
		state:        Idle,
		resetBackoff: make(chan struct{}),
		dial: func(ctx context.Context, addr string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", addr)
		},
	}
	ac.ctx, ac.cancel = context.WithCancel(cc.ctx)
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.conns == nil {
		return nil, errConnClosing
	}
	cc.conns[ac] = struct{}{}
	return ac, nil
}

// RemoveSubConn forgets the sub-connection and tears it down.
func (cc *ClientConn) RemoveSubConn(ac *addrConn) {
	cc.mu.Lock()
	if cc.conns != nil {
		delete(cc.conns, ac)
	}
	cc.mu.Unlock()
	ac.tearDown(errConnDrain)
}

// Close tears down everything.
func (cc *ClientConn) Close() error {
	cc.mu.Lock()
	conns := cc.conns
	cc.conns = nil
	cc.mu.Unlock()
	for ac := range conns {
		ac.tearDown(errConnClosing)
	}
	cc.cancel()
	return nil
}

// Connect leaves idle mode; the attempt runs in the background.
func (ac *addrConn) Connect() error {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	switch ac.state {
	case Shutdown:
		return errConnClosing
	case Idle:
		ac.updateConnectivityState(Connecting, nil)
		go ac.resetTransport()
	}
	return nil
}

// updateConnectivityState is called with ac.mu held.
func (ac *addrConn) updateConnectivityState(s State, lastErr error) {
	if ac.state == s {
		return
	}
	ac.state = s
	ac.listener.UpdateState(s, lastErr)
}

func (ac *addrConn) backoffLocked() time.Duration {
	return min(time.Second<<min(ac.backoffIdx, 6), time.Minute)
}

func (ac *addrConn) resetTransport() {
	ac.mu.Lock()
	acCtx := ac.ctx
	if acCtx.Err() != nil {
		ac.mu.Unlock()
		return
	}
	addrs := ac.addrs
	backoffFor := ac.backoffLocked()
	connectDeadline := time.Now().Add(max(20*time.Second, backoffFor))
	ac.mu.Unlock()

	if err := ac.tryAllAddrs(acCtx, addrs, connectDeadline); err != nil {
		ac.cc.resolveNow()
		// After exhausting all addresses, the addrConn enters
		// TRANSIENT_FAILURE.
		ac.mu.Lock()
		if acCtx.Err() != nil {
			ac.mu.Unlock()
			return
		}
		ac.updateConnectivityState(TransientFailure, err)

		// Backoff.
		b := ac.resetBackoff
		ac.mu.Unlock()

		timer := time.NewTimer(backoffFor)
		defer timer.Stop()
		select {
		case <-timer.C:
			ac.mu.Lock()
			ac.backoffIdx++
			ac.mu.Unlock()
		case <-b:
		case <-acCtx.Done():
			return
		}

		ac.mu.Lock()
		if acCtx.Err() == nil {
			ac.updateConnectivityState(Idle, err)
		}
		ac.mu.Unlock()
		return
	}
	ac.mu.Lock()
	ac.backoffIdx = 0
	ac.mu.Unlock()
}

func (ac *addrConn) tryAllAddrs(ctx context.Context, addrs []string, deadline time.Time) error {
	err := fmt.Errorf("subconn: no addresses")
	for _, addr := range addrs {
		if ctx.Err() != nil {
			return errConnClosing
		}
		if err = ac.createTransport(ctx, addr, deadline); err == nil {
			return nil
		}
		ac.cc.updateConnectionError(err)
	}
	return err
}

func (ac *addrConn) createTransport(ctx context.Context, addr string, deadline time.Time) error {
	dctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	conn, err := ac.dial(dctx, addr)
	if err != nil {
		return err
	}
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ctx.Err() != nil {
		conn.Close()
		return nil
	}
	ac.transport = conn
	ac.updateConnectivityState(Ready, nil)
	return nil
}

func (ac *addrConn) tearDown(err error) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Shutdown {
		return
	}
	if ac.transport != nil {
		ac.transport.Close()
		ac.transport = nil
	}
	ac.updateConnectivityState(Shutdown, err)
	ac.cancel()
}
