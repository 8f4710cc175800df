package client

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

var errShutdown = errors.New("client: connection was shut down")

// ConnState is the connectivity of one address.
type ConnState int

// The states.
const (
	Idle ConnState = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

// Transport is an established connection.
type Transport interface {
	Invoke(ctx context.Context, method string, req []byte) ([]byte, error)
	Done() <-chan struct{}
	Close()
}

// Dialer makes transports.
type Dialer func(ctx context.Context, addr string) (Transport, error)

// addrConn keeps a connection to one address of the target.
type addrConn struct {
	addr   string
	dial   Dialer
	notify func(*addrConn, ConnState)
	ctx    context.Context
	cancel context.CancelFunc

	mu        sync.Mutex
	state     ConnState
	transport Transport
}

func newAddrConn(addr string, d Dialer, notify func(*addrConn, ConnState)) *addrConn {
	ctx, cancel := context.WithCancel(context.Background())
	return &addrConn{addr: addr, dial: d, notify: notify, ctx: ctx, cancel: cancel}
}

func (ac *addrConn) setStateLocked(s ConnState) {
	if ac.state != s {
		ac.state = s
		ac.notify(ac, s)
	}
}

// run connects, and connects again when the transport breaks.
func (ac *addrConn) run() {
	backoff := 100 * time.Millisecond
	for {
		tr, err := ac.connect()
		if errors.Is(err, errShutdown) {
			return
		}
		if err != nil {
			slog.Debug("client: connect", "addr", ac.addr, "err", err)
			select {
			case <-time.After(backoff):
			case <-ac.ctx.Done():
				return
			}
			backoff = min(2*backoff, 30*time.Second)
			continue
		}
		backoff = 100 * time.Millisecond
		select {
		case <-tr.Done():
			ac.lost(tr)
		case <-ac.ctx.Done():
			return
		}
	}
}

func (ac *addrConn) connect() (Transport, error) {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return nil, errShutdown
	}
	ac.setStateLocked(Connecting)
	ac.mu.Unlock()

	ctx, cancel := context.WithTimeout(ac.ctx, 20*time.Second)
	defer cancel()
	tr, err := ac.dial(ctx, ac.addr)
	if err != nil {
		ac.fail()
		return nil, err
	}
	ac.adopt(tr)
	return tr, nil
}

func (ac *addrConn) adopt(tr Transport) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	ac.transport = tr
	ac.setStateLocked(Ready)
}

func (ac *addrConn) fail() {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state != Shutdown {
		ac.setStateLocked(TransientFailure)
	}
}

func (ac *addrConn) lost(tr Transport) {
	ac.mu.Lock()
	owned := ac.transport == tr
	if owned {
		ac.transport = nil
		ac.setStateLocked(Idle)
	}
	ac.mu.Unlock()
	if owned {
		tr.Close()
	}
}

func (ac *addrConn) ready() (Transport, bool) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	return ac.transport, ac.state == Ready
}

// tearDown ends the addrConn for good.
func (ac *addrConn) tearDown() {
	ac.mu.Lock()
	tr := ac.transport
	ac.transport = nil
	ac.setStateLocked(Shutdown)
	ac.mu.Unlock()
	ac.cancel()
	if tr != nil {
		tr.Close()
	}
}
