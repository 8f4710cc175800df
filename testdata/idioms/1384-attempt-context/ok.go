package idiom1384

import (
	"context"
	"io"
	"slices"
	"sync"
)

type state int

const (
	idle state = iota
	connecting
	ready
	failed
	shutdown
)

type dialFunc func(ctx context.Context, addr string) (io.Closer, error)

type addrConn struct {
	dial dialFunc

	mu        sync.Mutex
	ctx       context.Context // of the current attempt, replaced under mu
	cancel    context.CancelFunc
	addrs     []string
	state     state
	transport io.Closer
}

// New returns an idle connection.
func New(d dialFunc, addrs []string) *addrConn {
	ac := &addrConn{dial: d, addrs: addrs}
	ac.ctx, ac.cancel = context.WithCancel(context.Background())
	return ac
}

// Connect starts an attempt unless there is one.
func (ac *addrConn) Connect() {
	ac.mu.Lock()
	if ac.state != idle && ac.state != failed {
		ac.mu.Unlock()
		return
	}
	ac.state = connecting
	ctx, addrs := ac.ctx, ac.addrs
	ac.mu.Unlock()

	go ac.attempt(ctx, addrs)
}

func (ac *addrConn) attempt(ctx context.Context, addrs []string) {
	var tr io.Closer
	for _, a := range addrs {
		t, err := ac.dial(ctx, a)
		if err == nil {
			tr = t
			break
		}
	}

	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ctx.Err() != nil {
		// torn down or restarted with other addresses in the meantime
		if tr != nil {
			go tr.Close()
		}
		return
	}
	if tr == nil {
		ac.state = failed
		return
	}
	ac.transport = tr
	ac.state = ready
}

// UpdateAddrs replaces the addresses and restarts a running attempt.
func (ac *addrConn) UpdateAddrs(addrs []string) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if slices.Equal(ac.addrs, addrs) {
		return
	}
	ac.addrs = addrs
	if ac.state != connecting && ac.state != ready {
		return
	}
	ac.cancel()
	ac.ctx, ac.cancel = context.WithCancel(context.Background())
	if ac.transport != nil {
		go ac.transport.Close()
		ac.transport = nil
	}
	ac.state = connecting
	go ac.attempt(ac.ctx, addrs)
}

// TearDown ends the connection for good.
func (ac *addrConn) TearDown() {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == shutdown {
		return
	}
	ac.cancel()
	ac.state = shutdown
	if ac.transport != nil {
		go ac.transport.Close()
		ac.transport = nil
	}
}
