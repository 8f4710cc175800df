// Package clientconn keeps one connection per backend address.
package clientconn

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	errConnClosing = errors.New("grpc: the connection is closing")
	errNoAddress   = errors.New("grpc: no address could be reached")
)

type ConnState int32

const (
	Idle ConnState = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

// Address is one address of a backend.
type Address struct {
	Addr       string
	ServerName string
}

// ClientTransport is an established connection.
type ClientTransport interface {
	GracefulClose()
	Close(err error)
}

// Dialer opens a transport; onClose is called when it goes away.
type Dialer func(ctx context.Context, addr Address, onClose func()) (ClientTransport, error)

// SubConn is what a balancer sees of an addrConn.
type SubConn interface {
	Connect()
	UpdateAddresses([]Address)
}

type addrConn struct {
	ctx    context.Context
	cancel context.CancelFunc

	dial    Dialer
	onState func(ConnState, error)

	mu        sync.Mutex
	transport ClientTransport // The current transport.
	curAddr   Address
	addrs     []Address // All addresses that the resolver resolved to.
	state     ConnState
	stateChan chan struct{} // closed and recreated on every state change.

	backoff      func(retries int) time.Duration
	backoffIdx   int
	resetBackoff chan struct{}
}

func newAddrConn(ctx context.Context, addrs []Address, dial Dialer, onState func(ConnState, error)) *addrConn {
	ac := &addrConn{
		dial:         dial,
		onState:      onState,
		addrs:        addrs,
		stateChan:    make(chan struct{}),
		resetBackoff: make(chan struct{}),
		backoff:      func(n int) time.Duration { return min(time.Second<<min(n, 7), 2*time.Minute) },
	}
	ac.ctx, ac.cancel = context.WithCancel(ctx)
	return ac
}

// Connect starts a connection attempt in the background.
func (ac *addrConn) Connect() { go ac.connect() }

// UpdateAddresses replaces the addresses of the connection.
func (ac *addrConn) UpdateAddresses(addrs []Address) {
	ac.mu.Lock()
	ac.addrs = append([]Address(nil), addrs...)
	ac.mu.Unlock()
}

// connect starts creating a transport.
// It does nothing if the ac is not IDLE.
func (ac *addrConn) connect() error {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return errConnClosing
	}
	if ac.state != Idle {
		ac.mu.Unlock()
		return nil
	}

	ac.resetTransportAndUnlock()
	return nil
}

// updateConnectivityState must be called with ac.mu held.
func (ac *addrConn) updateConnectivityState(s ConnState, lastErr error) {
	if ac.state == s {
		return
	}
	close(ac.stateChan)
	ac.stateChan = make(chan struct{})
	ac.state = s
	if ac.onState != nil {
		ac.onState(s, lastErr)
	}
}

// resetTransportAndUnlock tries the addresses one after the other.
//
// ac.mu must be held by the caller, and this function will guarantee it is released.
func (ac *addrConn) resetTransportAndUnlock() {
	acCtx := ac.ctx
	if acCtx.Err() != nil {
		ac.mu.Unlock()
		return
	}
	addrs := ac.addrs
	backoffFor := ac.backoff(ac.backoffIdx)
	connectDeadline := time.Now().Add(max(20*time.Second, backoffFor))
	ac.updateConnectivityState(Connecting, nil)
	ac.mu.Unlock()

	if err := ac.tryAllAddrs(acCtx, addrs, connectDeadline); err != nil {
		ac.mu.Lock()
		if acCtx.Err() != nil {
			ac.mu.Unlock()
			return
		}
		ac.updateConnectivityState(TransientFailure, err)
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

func (ac *addrConn) tryAllAddrs(ctx context.Context, addrs []Address, deadline time.Time) error {
	firstConnErr := errNoAddress
	for i, addr := range addrs {
		if ctx.Err() != nil {
			return errConnClosing
		}
		err := ac.createTransport(ctx, addr, deadline)
		if err == nil {
			return nil
		}
		if i == 0 {
			firstConnErr = err
		}
	}
	return firstConnErr
}

func (ac *addrConn) createTransport(ctx context.Context, addr Address, deadline time.Time) error {
	dialCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	closed := make(chan struct{})
	newTr, err := ac.dial(dialCtx, addr, func() { close(closed) })
	if err != nil {
		return err
	}

	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ctx.Err() != nil {
		go newTr.Close(errConnClosing)
		return nil
	}
	ac.curAddr = addr
	ac.transport = newTr
	ac.updateConnectivityState(Ready, nil)
	go func() {
		<-closed
		ac.mu.Lock()
		defer ac.mu.Unlock()
		if ac.transport == newTr {
			ac.transport = nil
			ac.updateConnectivityState(Idle, nil)
		}
	}()
	return nil
}

// tearDown stops the connection for good.
func (ac *addrConn) tearDown(err error) {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return
	}
	curTr := ac.transport
	ac.transport = nil
	ac.updateConnectivityState(Shutdown, nil)
	ac.cancel()
	ac.curAddr = Address{}
	ac.mu.Unlock()
	if curTr != nil {
		curTr.Close(err)
	}
}
