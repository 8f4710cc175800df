package grpc

import (
	"context"
	"errors"
	"sync"
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
	ErrClientConnClosing     = errors.New("grpc: the client connection is closing")
	ErrNoSubConnAvailable    = errors.New("no SubConn is available")
	ErrTransientFailure      = errors.New("all SubConns are in TransientFailure")
	errBalancerWrapperClosed = errors.New("grpc: ClientConn balancer wrapper was closed")
)

// connectivityStateManager keeps the State of ClientConn.
// This struct will eventually be exported so the balancers can access it.
type connectivityStateManager struct {
	mu         sync.Mutex
	state      State
	notifyChan chan struct{}
}

// updateState updates the State of ClientConn.
// If there's a change it notifies goroutines waiting on state change to
// happen.
func (csm *connectivityStateManager) updateState(state State) {
	csm.mu.Lock()
	defer csm.mu.Unlock()
	if csm.state == Shutdown {
		return
	}
	if csm.state == state {
		return
	}
	csm.state = state
	if csm.notifyChan != nil {
		// There are other goroutines waiting on this channel.
		close(csm.notifyChan)
		csm.notifyChan = nil
	}
}

func (csm *connectivityStateManager) getState() State {
	csm.mu.Lock()
	defer csm.mu.Unlock()
	return csm.state
}

func (csm *connectivityStateManager) getNotifyChan() <-chan struct{} {
	csm.mu.Lock()
	defer csm.mu.Unlock()
	if csm.notifyChan == nil {
		csm.notifyChan = make(chan struct{})
	}
	return csm.notifyChan
}

// ClientConn represents a client connection to an RPC server.
type ClientConn struct {
	ctx    context.Context
	cancel context.CancelFunc
	target string

	csMgr          *connectivityStateManager
	blockingpicker *pickerWrapper

	mu              sync.Mutex
	balancerWrapper *ccBalancerWrapper
}

// DialContext creates a client connection to the given target. It blocks
// until the connection is ready.
func DialContext(ctx context.Context, target string, build func(*ccBalancerWrapper) Balancer) (*ClientConn, error) {
	cc := &ClientConn{
		target:         target,
		csMgr:          &connectivityStateManager{},
		blockingpicker: newPickerWrapper(),
	}
	cc.ctx, cc.cancel = context.WithCancel(context.Background())
	bw := newCCBalancerWrapper(cc, build)
	cc.mu.Lock()
	cc.balancerWrapper = bw
	cc.mu.Unlock()

	// A blocking dial blocks until the clientConn is ready.
	for {
		s := cc.GetState()
		if s == Ready {
			break
		}
		if !cc.WaitForStateChange(ctx, s) {
			// ctx got timeout or canceled.
			cc.Close()
			return nil, ctx.Err()
		}
	}
	return cc, nil
}

// WaitForStateChange waits until the State of ClientConn changes from sourceState or
// ctx expires. A true value is returned in former case and false in latter.
func (cc *ClientConn) WaitForStateChange(ctx context.Context, sourceState State) bool {
	ch := cc.csMgr.getNotifyChan()
	if cc.csMgr.getState() != sourceState {
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-ch:
		return true
	}
}

// GetState returns the State of ClientConn.
func (cc *ClientConn) GetState() State {
	return cc.csMgr.getState()
}

// Invoke sends the RPC request on the wire and returns after response is
// received.
func (cc *ClientConn) Invoke(ctx context.Context, method string, failfast bool) error {
	sc, err := cc.blockingpicker.pick(ctx, failfast)
	if err != nil {
		return err
	}
	return sc.Send(ctx, method)
}

// Close tears down the ClientConn and all underlying connections.
func (cc *ClientConn) Close() error {
	cc.cancel()
	cc.mu.Lock()
	bw := cc.balancerWrapper
	cc.balancerWrapper = nil
	cc.mu.Unlock()
	if bw == nil {
		return ErrClientConnClosing
	}
	cc.csMgr.updateState(Shutdown)
	cc.blockingpicker.close()
	bw.close()
	return nil
}
