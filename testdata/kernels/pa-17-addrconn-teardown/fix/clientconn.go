package client

import (
	"context"
	"errors"
	"sync"
)

// ErrNoReadyConn is returned when no backend is reachable.
var ErrNoReadyConn = errors.New("client: no ready connection")

// ClientConn is a channel to a target with many addresses.
type ClientConn struct {
	dial  Dialer
	watch func(addr string, s ConnState)

	mu     sync.Mutex
	conns  map[string]*addrConn
	closed bool
}

// New returns a channel without addresses.
func New(d Dialer, watch func(addr string, s ConnState)) *ClientConn {
	return &ClientConn{dial: d, watch: watch, conns: make(map[string]*addrConn)}
}

// UpdateAddrs is called by the resolver with the current addresses.
func (cc *ClientConn) UpdateAddrs(addrs []string) {
	want := make(map[string]bool, len(addrs))
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.closed {
		return
	}
	for _, a := range addrs {
		want[a] = true
		if _, ok := cc.conns[a]; ok {
			continue
		}
		ac := newAddrConn(a, cc.dial, func(ac *addrConn, s ConnState) { cc.watch(ac.addr, s) })
		cc.conns[a] = ac
		go ac.run()
	}
	for a, ac := range cc.conns {
		if !want[a] {
			delete(cc.conns, a)
			ac.tearDown()
		}
	}
}

// Invoke calls method on some backend.
func (cc *ClientConn) Invoke(ctx context.Context, method string, req []byte) ([]byte, error) {
	cc.mu.Lock()
	var picked Transport
	for _, ac := range cc.conns {
		if tr, ok := ac.ready(); ok {
			picked = tr
			break
		}
	}
	cc.mu.Unlock()
	if picked == nil {
		return nil, ErrNoReadyConn
	}
	return picked.Invoke(ctx, method, req)
}

// Close ends the channel and its connections.
func (cc *ClientConn) Close() {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	cc.closed = true
	for a, ac := range cc.conns {
		delete(cc.conns, a)
		ac.tearDown()
	}
}
