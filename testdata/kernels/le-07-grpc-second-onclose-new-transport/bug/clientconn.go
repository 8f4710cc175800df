package grpc

import (
	"context"
	"errors"
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

var errConnClosing = errors.New("grpc: the connection is closing")

const minConnectTimeout = 20 * time.Second

// ClientConn represents a virtual connection to a conceptual endpoint.
type ClientConn struct {
	ctx     context.Context
	stateCh chan scStateUpdate // consumed by the balancer
	mu      sync.RWMutex
	conns   map[*addrConn]struct{}
}

type scStateUpdate struct {
	ac    *addrConn
	state State
}

func (cc *ClientConn) handleSubConnStateChange(ac *addrConn, s State) {
	select {
	case cc.stateCh <- scStateUpdate{ac: ac, state: s}:
	case <-cc.ctx.Done():
	}
}

// watcher is the balancer's goroutine; it reconnects the addrConns that have
// gone idle.
func (cc *ClientConn) watcher() {
	for {
		select {
		case u := <-cc.stateCh:
			if u.state == Idle {
				go u.ac.connect()
			}
		case <-cc.ctx.Done():
			return
		}
	}
}

// newAddrConn creates an addrConn for addr and adds it to cc.conns.
func (cc *ClientConn) newAddrConn(addr string) *addrConn {
	ac := &addrConn{cc: cc, addr: addr}
	ac.ctx, ac.cancel = context.WithCancel(cc.ctx)
	cc.mu.Lock()
	cc.conns[ac] = struct{}{}
	cc.mu.Unlock()
	return ac
}

// removeAddrConn removes the addrConn from cc.conns and tears it down.
func (cc *ClientConn) removeAddrConn(ac *addrConn) {
	cc.mu.Lock()
	delete(cc.conns, ac)
	cc.mu.Unlock()
	ac.tearDown()
}

// addrConn is a network connection to a given address.
type addrConn struct {
	ctx    context.Context
	cancel context.CancelFunc

	cc   *ClientConn
	addr string

	mu sync.Mutex
	// transport is set when there's a viable transport, and is reset to nil
	// when the current transport should no longer be used to create a stream
	// (e.g. after GoAway is received, transport is closed, ac has been torn
	// down).
	transport *http2Client // The current transport.
	// Use updateConnectivityState for updating addrConn's connectivity state.
	state      State
	backoffIdx int
}

// Note: this requires a lock on ac.mu.
func (ac *addrConn) updateConnectivityState(s State) {
	if ac.state == s {
		return
	}
	ac.state = s
	ac.cc.handleSubConnStateChange(ac, s)
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
	// Update connectivity state within the lock to prevent subsequent or
	// concurrent calls from resetting the transport more than once.
	ac.updateConnectivityState(Connecting)
	backoffFor := time.Second << min(ac.backoffIdx, 6)
	ac.mu.Unlock()

	err := ac.createTransport(time.Now().Add(minConnectTimeout))
	if err == nil {
		ac.mu.Lock()
		ac.backoffIdx = 0
		ac.mu.Unlock()
		return nil
	}
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return errConnClosing
	}
	ac.updateConnectivityState(TransientFailure)
	ac.backoffIdx++
	ac.mu.Unlock()

	select {
	case <-time.After(backoffFor):
	case <-ac.ctx.Done():
		return ac.ctx.Err()
	}
	ac.mu.Lock()
	if ac.state != Shutdown {
		ac.updateConnectivityState(Idle)
	}
	ac.mu.Unlock()
	return err
}

// createTransport creates a connection to addr. It returns an error if the
// transport was not successfully created.
func (ac *addrConn) createTransport(connectDeadline time.Time) error {
	connClosed := newEvent()
	hctx, hcancel := context.WithCancel(ac.ctx)
	hcStarted := false // protected by ac.mu

	onClose := func() {
		ac.mu.Lock()
		defer ac.mu.Unlock()
		defer connClosed.Fire()
		if !hcStarted {
			// We didn't start the health check or set the state to READY, so
			// no need to do anything else here.
			return
		}
		hcancel()
		ac.transport = nil
		if ac.state != Shutdown {
			ac.updateConnectivityState(Idle)
		}
	}

	onGoAway := func() {
		onClose()
	}

	connectCtx, cancel := context.WithDeadline(ac.ctx, connectDeadline)
	defer cancel()
	newTr, err := newHTTP2Client(connectCtx, ac.addr, onGoAway, onClose)
	if err != nil {
		// newTr is either nil, or closed.
		hcancel()
		return err
	}

	ac.mu.Lock()
	defer ac.mu.Unlock()
	if connClosed.HasFired() {
		// onClose called first; go idle but do nothing else.
		hcancel()
		if ac.state != Shutdown {
			ac.updateConnectivityState(Idle)
		}
		return nil
	}
	if ac.state == Shutdown {
		// This can happen if the subConn was removed while in `Connecting`
		// state. tearDown() would have set the state to `Shutdown`, but
		// would not have closed the transport since ac.transport would not
		// been set at that point.
		// We run this in a goroutine because newTr.Close() calls onClose()
		// inline, which requires locking ac.mu.
		hcancel()
		go newTr.Close()
		return nil
	}
	ac.transport = newTr
	hcStarted = true
	ac.startHealthCheck(hctx) // Will set state to READY if appropriate.
	return nil
}

// Caller must hold ac.mu.
func (ac *addrConn) startHealthCheck(ctx context.Context) {
	currentTr := ac.transport
	ac.updateConnectivityState(Ready)
	go currentTr.keepalive(ctx)
}

// getReadyTransport returns the transport if ac's state is READY or nil if not.
func (ac *addrConn) getReadyTransport() *http2Client {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Ready {
		return ac.transport
	}
	return nil
}

// tearDown starts to tear down the addrConn.
func (ac *addrConn) tearDown() {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return
	}
	curTr := ac.transport
	ac.transport = nil
	// We have to set the state to Shutdown before anything else to prevent races
	// between setting the state and logic that waits on context cancellation / etc.
	ac.updateConnectivityState(Shutdown)
	ac.cancel()
	ac.mu.Unlock()
	if curTr != nil {
		curTr.Close()
	}
}
