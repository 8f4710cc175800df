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

var (
	errConnClosing     = errors.New("grpc: the connection is closing")
	errSubConnShutdown = errors.New("SubConn shutting down")
)

// ClientTransport is the connection to one server.
type ClientTransport interface {
	NewStream(ctx context.Context, method string) error
	Close(err error)
}

// addrConn is a network connection to a given address.
type addrConn struct {
	ctx    context.Context
	cancel context.CancelFunc

	addr string
	dial func(ctx context.Context, addr string, onClose func()) (ClientTransport, error)
	acbw *acBalancerWrapper

	// transport is set when there's a viable transport (note: ac state may not be READY as LB channel
	// health checking may require server to report healthy to set ac to READY), and is reset
	// to nil when the current transport should no longer be used to create a stream (e.g. after GoAway
	// is received, transport is closed, ac has been torn down).
	transport ClientTransport // The current transport.

	mu sync.Mutex

	// Use updateConnectivityState for updating addrConn's connectivity state.
	state          State
	stateReadyChan chan struct{} // closed and recreated on every READY state change.
}

func newAddrConn(addr string, dial func(ctx context.Context, addr string, onClose func()) (ClientTransport, error)) *addrConn {
	ac := &addrConn{
		addr:           addr,
		dial:           dial,
		stateReadyChan: make(chan struct{}),
	}
	ac.ctx, ac.cancel = context.WithCancel(context.Background())
	return ac
}

// Note: this requires a lock on ac.mu.
func (ac *addrConn) updateConnectivityState(s State, lastErr error) {
	if ac.state == s {
		return
	}
	if ac.state == Ready {
		// When leaving ready, re-create the ready channel.
		ac.stateReadyChan = make(chan struct{})
	}
	if s == Shutdown {
		// Wake any producer waiting to create a stream on the transport.
		close(ac.stateReadyChan)
	}
	ac.state = s
	ac.acbw.updateState(s, lastErr, ac.stateReadyChan)
}

// connect starts creating a transport.
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
	ac.updateConnectivityState(Connecting, nil)
	ac.mu.Unlock()

	return ac.createTransport()
}

// createTransport creates a connection to addr. It returns an error if the
// transport was not successfully created.
func (ac *addrConn) createTransport() error {
	hctx, hcancel := context.WithCancel(ac.ctx)

	onClose := func() {
		ac.mu.Lock()
		defer ac.mu.Unlock()
		// adjust params based on GoAwayReason
		if ac.ctx.Err() != nil || hctx.Err() != nil {
			// Already shut down or connection attempt canceled.  tearDown() or
			// updateAddrs() already cleared the transport and canceled hctx
			// via ac.ctx, and we expected this connection to be closed, so do
			// nothing here.
			return
		}
		hcancel()
		if ac.transport == nil {
			// We're still connecting to this address, which could error.  Do
			// not update the connectivity state or resolve; these will happen
			// at the end of the tryAllAddrs connection loop in the event of an
			// error.
			return
		}
		ac.transport = nil
		// Set the state to IDLE; the LB policy calls Connect to reconnect.
		ac.updateConnectivityState(Idle, nil)
	}

	newTr, err := ac.dial(hctx, ac.addr, onClose)
	if err != nil {
		hcancel()
		ac.mu.Lock()
		defer ac.mu.Unlock()
		if ac.ctx.Err() != nil {
			return errConnClosing
		}
		ac.updateConnectivityState(TransientFailure, err)
		time.AfterFunc(time.Second, ac.backoffDone)
		return err
	}

	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.ctx.Err() != nil {
		// This can happen if the subConn was removed while in `Connecting`
		// state.
		go newTr.Close(errConnClosing)
		return nil
	}
	if hctx.Err() != nil {
		// onClose was already called for this connection, but the connection
		// was successfully established first.  Consider it a success and set
		// the new state to Idle.
		ac.updateConnectivityState(Idle, nil)
		return nil
	}
	ac.transport = newTr
	ac.updateConnectivityState(Ready, nil)
	return nil
}

func (ac *addrConn) backoffDone() {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state != TransientFailure {
		return
	}
	ac.updateConnectivityState(Idle, nil)
}

// getReadyTransport returns the transport if ac's state is READY or nil if not.
func (ac *addrConn) getReadyTransport() ClientTransport {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Ready {
		return ac.transport
	}
	return nil
}

// getTransport waits until the addrconn is ready and returns the transport.
// If the context expires first, returns an appropriate status.  If the
// addrConn is stopped first, returns an Unavailable status error.
func (ac *addrConn) getTransport(ctx context.Context) (ClientTransport, error) {
	for ctx.Err() == nil {
		ac.mu.Lock()
		t, state, readyChan := ac.transport, ac.state, ac.stateReadyChan
		ac.mu.Unlock()
		if state == Shutdown {
			// Return an error immediately in only this case since a connection
			// will never occur.
			return nil, errSubConnShutdown
		}

		select {
		case <-ctx.Done():
		case <-readyChan:
			if state == Ready {
				return t, nil
			}
		}
	}
	return nil, ctx.Err()
}

// tearDown starts to tear down the addrConn.
func (ac *addrConn) tearDown(err error) {
	ac.mu.Lock()
	if ac.state == Shutdown {
		ac.mu.Unlock()
		return
	}
	curTr := ac.transport
	ac.transport = nil
	// We have to set the state to Shutdown before anything else to prevent races
	// between setting the state and logic that waits on context cancellation / etc.
	ac.updateConnectivityState(Shutdown, nil)
	ac.cancel()
	ac.mu.Unlock()

	// We have to release the lock before the call to Close here
	// because it calls onClose(), which requires locking ac.mu.
	if curTr != nil {
		curTr.Close(err)
	}
}
