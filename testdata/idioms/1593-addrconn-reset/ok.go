package a

import (
	"context"
	"sync"
)

type state int

const (
	idle state = iota
	connecting
	ready
	transientFailure
	shutdown
)

type clientTransport struct {
	addr  string
	close func()
}

type addrConn struct {
	dial   func(ctx context.Context, addr string) (*clientTransport, error)
	parent context.Context

	mu        sync.Mutex
	ctx       context.Context
	cancel    context.CancelFunc
	addrs     []string
	state     state
	transport *clientTransport
}

func newAddrConn(parent context.Context, addrs []string, dial func(context.Context, string) (*clientTransport, error)) *addrConn {
	ac := &addrConn{parent: parent, addrs: addrs, dial: dial}
	ac.ctx, ac.cancel = context.WithCancel(parent)
	return ac
}

// connect starts creating a transport.
func (ac *addrConn) connect() {
	ac.mu.Lock()
	if ac.state != idle {
		ac.mu.Unlock()
		return
	}
	ac.state = connecting
	acCtx, addrs := ac.ctx, ac.addrs
	ac.mu.Unlock()
	go ac.resetTransport(acCtx, addrs)
}

// updateAddrs updates the addresses and starts over with them.
func (ac *addrConn) updateAddrs(addrs []string) {
	ac.mu.Lock()
	if ac.state == shutdown {
		ac.mu.Unlock()
		return
	}
	ac.addrs = addrs
	ac.cancel()
	ac.ctx, ac.cancel = context.WithCancel(ac.parent)
	old := ac.transport
	ac.transport = nil
	ac.state = connecting
	acCtx := ac.ctx
	ac.mu.Unlock()
	if old != nil {
		old.close()
	}
	go ac.resetTransport(acCtx, addrs)
}

func (ac *addrConn) resetTransport(acCtx context.Context, addrs []string) {
	var newTr *clientTransport
	for _, addr := range addrs {
		if acCtx.Err() != nil {
			return
		}
		if tr, err := ac.dial(acCtx, addr); err == nil {
			newTr = tr
			break
		}
	}

	ac.mu.Lock()
	if acCtx.Err() != nil {
		// addrConn was torn down or got new addresses.
		ac.mu.Unlock()
		if newTr != nil {
			newTr.close()
		}
		return
	}
	defer ac.mu.Unlock()
	if newTr == nil {
		ac.state = transientFailure
		return
	}
	ac.transport = newTr
	ac.state = ready
}

// tearDown starts to tear down the addrConn.
func (ac *addrConn) tearDown() {
	ac.mu.Lock()
	if ac.state == shutdown {
		ac.mu.Unlock()
		return
	}
	ac.state = shutdown
	ac.cancel()
	old := ac.transport
	ac.transport = nil
	ac.mu.Unlock()
	if old != nil {
		old.close()
	}
}
