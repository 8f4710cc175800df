package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

type State int

const (
	Idle State = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

var errConnClosing = errors.New("the connection is closing")

type Transport interface {
	Error() <-chan struct{}
	Close()
}

type Dialer func(ctx context.Context, addr string) (Transport, error)

type ClientConn struct {
	dial Dialer

	mu    sync.Mutex
	conns map[*addrConn]struct{}

	csMu   sync.Mutex
	states map[*addrConn]State
}

func NewClientConn(dial Dialer) *ClientConn {
	return &ClientConn{dial: dial, conns: map[*addrConn]struct{}{}, states: map[*addrConn]State{}}
}

func (cc *ClientConn) handleSubConnStateChange(ac *addrConn, s State) {
	cc.csMu.Lock()
	defer cc.csMu.Unlock()
	if s == Shutdown {
		delete(cc.states, ac)
		return
	}
	cc.states[ac] = s
}

func (cc *ClientConn) Connect(addrs []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	ac := &addrConn{cc: cc, ctx: ctx, cancel: cancel, addrs: addrs}
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.conns == nil {
		cancel()
		return errConnClosing
	}
	cc.conns[ac] = struct{}{}
	go ac.transportMonitor()
	return nil
}

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
	ctx    context.Context
	cancel context.CancelFunc
	addrs  []string

	mu        sync.Mutex
	state     State
	transport Transport
}

func (ac *addrConn) transportMonitor() {
	for {
		connected, err := ac.createTransport()
		if err != nil {
			return
		}
		if !connected {
			continue
		}
		ac.mu.Lock()
		t := ac.transport
		ac.mu.Unlock()
		<-t.Error()
		t.Close()
	}
}

func (ac *addrConn) createTransport() (bool, error) {
	for _, addr := range ac.addrs {
		newTr, err := ac.cc.dial(ac.ctx, addr)
		ac.mu.Lock()
		if ac.state == Shutdown {
			ac.mu.Unlock()
			if err == nil {
				newTr.Close()
			}
			return false, errConnClosing
		}
		if err != nil {
			ac.mu.Unlock()
			continue
		}
		ac.state = Ready
		ac.cc.handleSubConnStateChange(ac, ac.state)
		ac.transport = newTr
		ac.mu.Unlock()
		return true, nil
	}
	ac.mu.Lock()
	ac.state = TransientFailure
	ac.cc.handleSubConnStateChange(ac, ac.state)
	ac.mu.Unlock()
	select {
	case <-time.After(time.Second):
		return false, nil
	case <-ac.ctx.Done():
		return false, ac.ctx.Err()
	}
}

func (ac *addrConn) tearDown() {
	ac.cancel()
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Shutdown {
		return
	}
	ac.state = Shutdown
	ac.cc.handleSubConnStateChange(ac, ac.state)
}
