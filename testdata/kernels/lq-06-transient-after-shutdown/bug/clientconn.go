package grpc

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

type connState int

const (
	idle connState = iota
	connecting
	ready
	transientFailure
	shutdown
)

var errConnClosing = errors.New("grpc: the connection is closing")

type dialOptions struct {
	minConnectTimeout time.Duration
	backoff           func(retries int) time.Duration
	stateListener     func(s connState, err error)
}

// addrConn is a network connection to a given address.
type addrConn struct {
	ctx    context.Context
	cancel context.CancelFunc
	dopts  dialOptions

	mu           sync.Mutex
	addrs        []string
	curAddr      string
	transport    net.Conn
	state        connState
	stateChan    chan struct{} // closed and recreated on every state change.
	backoffIdx   int
	resetBackoff chan struct{}
}

func newAddrConn(ctx context.Context, addrs []string, dopts dialOptions) *addrConn {
	ac := &addrConn{
		addrs:        addrs,
		dopts:        dopts,
		stateChan:    make(chan struct{}),
		resetBackoff: make(chan struct{}),
	}
	ac.ctx, ac.cancel = context.WithCancel(ctx)
	return ac
}

// Note: this requires a lock on ac.mu.
func (ac *addrConn) updateConnectivityState(s connState, lastErr error) {
	if ac.state == s {
		return
	}
	// When changing states, reset the state change channel.
	close(ac.stateChan)
	ac.stateChan = make(chan struct{})
	ac.state = s
	ac.dopts.stateListener(s, lastErr)
}

// connect starts creating a transport. It does nothing if the ac is not IDLE.
func (ac *addrConn) connect() error {
	ac.mu.Lock()
	if ac.state == shutdown {
		ac.mu.Unlock()
		return errConnClosing
	}
	if ac.state != idle {
		ac.mu.Unlock()
		return nil
	}
	ac.updateConnectivityState(connecting, nil)
	ac.mu.Unlock()

	go ac.resetTransport()
	return nil
}

func (ac *addrConn) resetTransport() {
	ac.mu.Lock()
	acCtx := ac.ctx
	if acCtx.Err() != nil {
		ac.mu.Unlock()
		return
	}
	addrs := ac.addrs
	backoffFor := ac.dopts.backoff(ac.backoffIdx)
	dialDuration := max(ac.dopts.minConnectTimeout, backoffFor)
	connectDeadline := time.Now().Add(dialDuration)
	ac.mu.Unlock()

	if err := ac.tryAllAddrs(acCtx, addrs, connectDeadline); err != nil {
		// After exhausting all addresses, the addrConn enters
		// TRANSIENT_FAILURE.
		if acCtx.Err() != nil {
			return
		}
		ac.mu.Lock()
		ac.updateConnectivityState(transientFailure, err)

		// Backoff.
		b := ac.resetBackoff
		ac.mu.Unlock()

		timer := time.NewTimer(backoffFor)
		select {
		case <-timer.C:
			ac.mu.Lock()
			ac.backoffIdx++
			ac.mu.Unlock()
		case <-b:
			timer.Stop()
		case <-acCtx.Done():
			timer.Stop()
			return
		}

		ac.mu.Lock()
		if acCtx.Err() == nil {
			ac.updateConnectivityState(idle, err)
		}
		ac.mu.Unlock()
		return
	}
	// Success; reset backoff.
	ac.mu.Lock()
	ac.backoffIdx = 0
	ac.mu.Unlock()
}

func (ac *addrConn) tryAllAddrs(ctx context.Context, addrs []string, deadline time.Time) error {
	err := errors.New("no addresses")
	for _, addr := range addrs {
		if ctx.Err() != nil {
			return errConnClosing
		}
		if err = ac.createTransport(ctx, addr, deadline); err == nil {
			return nil
		}
	}
	return err
}

func (ac *addrConn) createTransport(ctx context.Context, addr string, deadline time.Time) error {
	d := net.Dialer{Deadline: deadline}
	tr, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ctx.Err() != nil {
		// This can happen if the subConn was removed while in connecting state.
		tr.Close()
		return nil
	}
	ac.curAddr = addr
	ac.transport = tr
	ac.updateConnectivityState(ready, nil)
	return nil
}

// resetConnectBackoff wakes up an addrConn in transient failure.
func (ac *addrConn) resetConnectBackoff() {
	ac.mu.Lock()
	close(ac.resetBackoff)
	ac.backoffIdx = 0
	ac.resetBackoff = make(chan struct{})
	ac.mu.Unlock()
}

// getReadyTransport returns the transport if ac's state is READY or nil if not.
func (ac *addrConn) getReadyTransport() net.Conn {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == ready {
		return ac.transport
	}
	return nil
}

// tearDown starts to tear down the addrConn.
func (ac *addrConn) tearDown() {
	ac.mu.Lock()
	if ac.state == shutdown {
		ac.mu.Unlock()
		return
	}
	curTr := ac.transport
	ac.transport = nil
	// We have to set the state to Shutdown before anything else to prevent races
	// between setting the state and logic that waits on context cancellation / etc.
	ac.updateConnectivityState(shutdown, nil)
	ac.cancel()
	ac.curAddr = ""
	ac.mu.Unlock()
	if curTr != nil {
		curTr.Close()
	}
}
