package clientconn

import (
	"context"
	"errors"
	"log"
	"math/rand"
	"sync"
	"time"
)

// State indicates the state of connectivity.
type State int

const (
	Idle State = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

var (
	errConnClosing       = errors.New("grpc: the connection is closing")
	errConnUnavailable   = errors.New("grpc: the connection is unavailable")
	errConnDrain         = errors.New("grpc: the connection is drained")
	ErrClientConnClosing = errors.New("grpc: the client connection is closing")
)

const minConnectTimeout = 20 * time.Second

type Address struct {
	Addr string
}

type ClientTransport interface {
	Close() error
	GracefulClose() error
	Error() <-chan struct{}
	GoAway() <-chan struct{}
}

type Dialer func(ctx context.Context, addr string, timeout time.Duration) (ClientTransport, error)

type scStateUpdate struct {
	ac    *addrConn
	state State
}

// ClientConn represents a client connection to an RPC server.
type ClientConn struct {
	ctx    context.Context
	cancel context.CancelFunc
	dial   Dialer

	stateChanges chan *scStateUpdate

	mu    sync.RWMutex
	conns map[*addrConn]struct{}
}

func NewClientConn(dial Dialer) *ClientConn {
	cc := &ClientConn{
		dial:         dial,
		stateChanges: make(chan *scStateUpdate, 64),
		conns:        make(map[*addrConn]struct{}),
	}
	cc.ctx, cc.cancel = context.WithCancel(context.Background())
	return cc
}

func (cc *ClientConn) handleSubConnStateChange(ac *addrConn, s State) {
	select {
	case cc.stateChanges <- &scStateUpdate{ac: ac, state: s}:
	case <-cc.ctx.Done():
	}
}

// newAddrConn creates an addrConn for addrs and adds it to cc.conns.
func (cc *ClientConn) newAddrConn(addrs []Address) (*addrConn, error) {
	ac := &addrConn{
		cc:    cc,
		addrs: addrs,
	}
	ac.ctx, ac.cancel = context.WithCancel(cc.ctx)
	// Track ac in cc. This needs to be done before any getTransport(...) is called.
	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return nil, ErrClientConnClosing
	}
	cc.conns[ac] = struct{}{}
	cc.mu.Unlock()
	return ac, nil
}

// removeAddrConn removes the addrConn in the subConn from clientConn.
// It also tears down the ac with the given error.
func (cc *ClientConn) removeAddrConn(ac *addrConn, err error) {
	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return
	}
	delete(cc.conns, ac)
	cc.mu.Unlock()
	ac.tearDown(err)
}

// Close tears down the ClientConn and all underlying connections.
func (cc *ClientConn) Close() error {
	cc.cancel()

	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return ErrClientConnClosing
	}
	conns := cc.conns
	cc.conns = nil
	cc.mu.Unlock()
	for ac := range conns {
		ac.tearDown(ErrClientConnClosing)
	}
	return nil
}

// addrConn is a network connection to a given address.
type addrConn struct {
	ctx    context.Context
	cancel context.CancelFunc

	cc *ClientConn

	mu      sync.Mutex
	curAddr Address
	addrs   []Address
	state   State
	// ready is closed and becomes nil when a new transport is up or failed
	// due to timeout.
	ready     chan struct{}
	transport ClientTransport

	// The reason this addrConn is torn down.
	tearDownErr error
}

// connect starts to creating transport and also starts the transport monitor
// goroutine for this ac.
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
	ac.state = Connecting
	ac.cc.handleSubConnStateChange(ac, ac.state)
	ac.mu.Unlock()

	go func() {
		if err := ac.resetTransport(); err != nil {
			log.Printf("Failed to dial: %v; please retry.", err)
			if err != errConnClosing {
				// Keep this ac in cc.conns, to get the reason it's torn down.
				ac.tearDown(err)
			}
			return
		}
		ac.transportMonitor()
	}()
	return nil
}

// resetTransport recreates a transport to the address for ac.  The old
// transport will close itself on error or when the clientconn is closed.
func (ac *addrConn) resetTransport() error {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return errConnClosing
	}
	if ac.ready != nil {
		close(ac.ready)
		ac.ready = nil
	}
	ac.transport = nil
	ac.curAddr = Address{}
	ac.mu.Unlock()
	for retries := 0; ; retries++ {
		sleepTime := backoff(retries)
		ac.mu.Lock()
		connectTime := time.Now()
		if ac.state == Shutdown {
			ac.mu.Unlock()
			return errConnClosing
		}
		if ac.state != Connecting {
			ac.state = Connecting
			ac.cc.handleSubConnStateChange(ac, ac.state)
		}
		// copy ac.addrs in case of race
		addrsIter := make([]Address, len(ac.addrs))
		copy(addrsIter, ac.addrs)
		ac.mu.Unlock()
		for _, addr := range addrsIter {
			newTransport, err := ac.cc.dial(ac.cc.ctx, addr.Addr, minConnectTimeout)
			if err != nil {
				log.Printf("grpc: addrConn.resetTransport failed to create client transport: %v; Reconnecting to %v", err, addr)
				ac.mu.Lock()
				if ac.state == Shutdown {
					// ac.tearDown(...) has been invoked.
					ac.mu.Unlock()
					return errConnClosing
				}
				ac.mu.Unlock()
				continue
			}
			ac.mu.Lock()
			if ac.state == Shutdown {
				// ac.tearDown(...) has been invoked.
				ac.mu.Unlock()
				newTransport.Close()
				return errConnClosing
			}
			ac.state = Ready
			ac.cc.handleSubConnStateChange(ac, ac.state)
			ac.transport = newTransport
			ac.curAddr = addr
			if ac.ready != nil {
				close(ac.ready)
				ac.ready = nil
			}
			ac.mu.Unlock()
			return nil
		}
		ac.mu.Lock()
		if ac.state == Shutdown {
			ac.mu.Unlock()
			return errConnClosing
		}
		ac.state = TransientFailure
		ac.cc.handleSubConnStateChange(ac, ac.state)
		if ac.ready != nil {
			close(ac.ready)
			ac.ready = nil
		}
		ac.mu.Unlock()
		timer := time.NewTimer(sleepTime - time.Since(connectTime))
		select {
		case <-timer.C:
		case <-ac.ctx.Done():
			timer.Stop()
			return ac.ctx.Err()
		}
		timer.Stop()
	}
}

// Run in a goroutine to track the error in transport and create the
// new transport if an error happens. It returns when the channel is closing.
func (ac *addrConn) transportMonitor() {
	for {
		ac.mu.Lock()
		t := ac.transport
		ac.mu.Unlock()
		// Block until we receive a goaway or an error occurs.
		select {
		case <-t.GoAway():
		case <-t.Error():
		}
		ac.mu.Lock()
		if ac.state == Shutdown {
			ac.mu.Unlock()
			return
		}
		// Set connectivity state to TransientFailure before calling
		// resetTransport. Transition READY->CONNECTING is not valid.
		ac.state = TransientFailure
		ac.cc.handleSubConnStateChange(ac, ac.state)
		ac.curAddr = Address{}
		ac.mu.Unlock()
		if err := ac.resetTransport(); err != nil {
			log.Printf("grpc: addrConn.transportMonitor exits due to: %v", err)
			if err != errConnClosing {
				// Keep this ac in cc.conns, to get the reason it's torn down.
				ac.tearDown(err)
			}
			return
		}
	}
}

// wait blocks until i) the new transport is up or ii) ctx is done or iii) ac is closed or
// iv) transport is in TransientFailure and failfast is true.
func (ac *addrConn) wait(ctx context.Context, failfast bool) (ClientTransport, error) {
	for {
		ac.mu.Lock()
		switch {
		case ac.state == Shutdown:
			err := ac.tearDownErr
			ac.mu.Unlock()
			return nil, err
		case ac.state == Ready:
			ct := ac.transport
			ac.mu.Unlock()
			return ct, nil
		case ac.state == TransientFailure && failfast:
			ac.mu.Unlock()
			return nil, errConnUnavailable
		}
		ready := ac.ready
		if ready == nil {
			ready = make(chan struct{})
			ac.ready = ready
		}
		ac.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		// Wait until the new transport is ready or failed.
		case <-ready:
		}
	}
}

// tearDown starts to tear down the addrConn.
// tearDown doesn't remove ac from ac.cc.conns.
func (ac *addrConn) tearDown(err error) {
	ac.cancel()
	ac.mu.Lock()
	defer ac.mu.Unlock()
	ac.curAddr = Address{}
	if err == errConnDrain && ac.transport != nil {
		// GracefulClose(...) may be executed multiple times when
		// i) receiving multiple GoAway frames from the server; or
		// ii) there are concurrent name resolver/Balancer triggered
		// address removal and GoAway.
		ac.transport.GracefulClose()
	}
	if ac.state == Shutdown {
		return
	}
	ac.state = Shutdown
	ac.tearDownErr = err
	ac.cc.handleSubConnStateChange(ac, ac.state)
	if ac.ready != nil {
		close(ac.ready)
		ac.ready = nil
	}
}

func (ac *addrConn) getState() State {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	return ac.state
}

func backoff(retries int) time.Duration {
	d := time.Second
	for ; retries > 0 && d < 2*time.Minute; retries-- {
		d *= 2
	}
	return d + time.Duration(rand.Int63n(int64(d)/5))
}
