// Package bug keeps one connection of a client channel.
package bug

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrClosing is returned after Shutdown.
var ErrClosing = errors.New("the connection is closing")

// State is the connectivity of a SubConn.
type State int

const (
	Idle State = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

// SubConn connects to the first address that answers.
type SubConn struct {
	ctx    context.Context
	cancel context.CancelFunc
	dial   func(ctx context.Context, addr string) (net.Conn, error)
	notify func(State, error)

	mu      sync.Mutex
	state   State
	addrs   []string
	conn    net.Conn
	backoff time.Duration
}

// NewSubConn returns an idle connection; notify must not call back.
func NewSubConn(addrs []string, dial func(context.Context, string) (net.Conn, error), notify func(State, error)) *SubConn {
	ctx, cancel := context.WithCancel(context.Background())
	return &SubConn{ctx: ctx, cancel: cancel, dial: dial, notify: notify, addrs: addrs, backoff: time.Second}
}

// setState changes the state. The caller holds sc.mu.
func (sc *SubConn) setState(s State, err error) {
	if sc.state == s {
		return
	}
	sc.state = s
	sc.notify(s, err)
}

// Connect starts a connection attempt if the SubConn is idle.
func (sc *SubConn) Connect() error {
	sc.mu.Lock()
	if sc.state == Shutdown {
		sc.mu.Unlock()
		return ErrClosing
	}
	if sc.state != Idle {
		sc.mu.Unlock()
		return nil
	}
	sc.mu.Unlock()

	sc.resetTransport()
	return nil
}

// resetTransport connects without regard to the current state.
func (sc *SubConn) resetTransport() {
	sc.mu.Lock()
	if sc.ctx.Err() != nil {
		sc.mu.Unlock()
		return
	}
	addrs := sc.addrs
	wait := sc.backoff
	sc.setState(Connecting, nil)
	sc.mu.Unlock()

	conn, err := sc.tryAll(addrs)
	if err != nil {
		sc.mu.Lock()
		if sc.ctx.Err() != nil {
			sc.mu.Unlock()
			return
		}
		sc.setState(TransientFailure, err)
		sc.mu.Unlock()

		select {
		case <-time.After(wait):
		case <-sc.ctx.Done():
			return
		}

		sc.mu.Lock()
		if sc.ctx.Err() == nil {
			sc.backoff *= 2
			sc.setState(Idle, err)
		}
		sc.mu.Unlock()
		return
	}

	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.ctx.Err() != nil {
		conn.Close()
		return
	}
	sc.conn = conn
	sc.backoff = time.Second
	sc.setState(Ready, nil)
}

func (sc *SubConn) tryAll(addrs []string) (conn net.Conn, err error) {
	err = errors.New("no addresses")
	for _, a := range addrs {
		if conn, err = sc.dial(sc.ctx, a); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// Close shuts the SubConn down.
func (sc *SubConn) Close() {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.state == Shutdown {
		return
	}
	sc.setState(Shutdown, nil)
	sc.cancel()
	if sc.conn != nil {
		sc.conn.Close()
	}
}

// Pool connects its members on demand.
type Pool struct {
	members []*SubConn
}

// NewPool returns a pool of idle members.
func NewPool(members ...*SubConn) *Pool { return &Pool{members: members} }

// Wake makes every member connect. It is called for each request that found
// no ready member.
func (p *Pool) Wake() {
	for _, m := range p.members {
		go m.Connect()
	}
}
