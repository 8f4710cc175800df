package lr08

import (
	"context"
	"errors"
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

var errConnClosing = errors.New("the connection is closing")

type clientTransport interface {
	GracefulClose()
}

type dialer func(ctx context.Context, addr string) (clientTransport, error)

type addrConn struct {
	ctx    context.Context
	cancel context.CancelFunc
	dial   dialer

	mu         sync.Mutex
	transport  clientTransport
	addrs      []string
	state      connState
	stateChan  chan struct{}
	backoffIdx int
}

func newAddrConn(parent context.Context, addrs []string, d dialer) *addrConn {
	ac := &addrConn{dial: d, addrs: addrs, stateChan: make(chan struct{})}
	ac.ctx, ac.cancel = context.WithCancel(parent)
	return ac
}

// Note: this requires a lock on ac.mu.
func (ac *addrConn) updateConnectivityState(s connState) {
	if ac.state == s {
		return
	}
	close(ac.stateChan)
	ac.stateChan = make(chan struct{})
	ac.state = s
}

// Connect starts a connection attempt in the background.
func (ac *addrConn) Connect() {
	go ac.connect()
}

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
	// No concurrent request may start once the lock is released.
	ac.updateConnectivityState(connecting)
	ac.mu.Unlock()

	ac.resetTransport()
	return nil
}

func (ac *addrConn) resetTransport() {
	ac.mu.Lock()
	ctx := ac.ctx
	if ctx.Err() != nil {
		ac.mu.Unlock()
		return
	}
	addrs := ac.addrs
	timeout := time.Second << min(ac.backoffIdx, 5)
	ac.updateConnectivityState(connecting)
	ac.mu.Unlock()

	if err := ac.tryAllAddrs(ctx, addrs, timeout); err != nil {
		ac.mu.Lock()
		defer ac.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		ac.backoffIdx++
		ac.updateConnectivityState(transientFailure)
		return
	}
	ac.mu.Lock()
	ac.backoffIdx = 0
	ac.mu.Unlock()
}

func (ac *addrConn) tryAllAddrs(ctx context.Context, addrs []string, timeout time.Duration) error {
	var first error
	for _, a := range addrs {
		err := ac.createTransport(ctx, a, timeout)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func (ac *addrConn) createTransport(ctx context.Context, addr string, timeout time.Duration) error {
	dctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tr, err := ac.dial(dctx, addr)
	if err != nil {
		return err
	}
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ctx.Err() != nil {
		go tr.GracefulClose()
		return nil
	}
	ac.transport = tr
	ac.updateConnectivityState(ready)
	return nil
}

func (ac *addrConn) tearDown() {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == shutdown {
		return
	}
	ac.cancel()
	if ac.transport != nil {
		go ac.transport.GracefulClose()
		ac.transport = nil
	}
	ac.updateConnectivityState(shutdown)
}
