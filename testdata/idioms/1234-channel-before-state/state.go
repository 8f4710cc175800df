package grpc

import (
	"context"
	"sync"
)

type State int

const (
	Idle State = iota
	Connecting
	Ready
	Shutdown
)

type connectivityStateManager struct {
	mu         sync.Mutex
	state      State
	notifyChan chan struct{}
}

func (csm *connectivityStateManager) updateState(state State) {
	csm.mu.Lock()
	defer csm.mu.Unlock()
	if csm.state == Shutdown || csm.state == state {
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

type ClientConn struct {
	csMgr connectivityStateManager
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

// WaitReady blocks until the connection is ready.
func (cc *ClientConn) WaitReady(ctx context.Context) error {
	for {
		s := cc.csMgr.getState()
		if s == Ready {
			return nil
		}
		if !cc.WaitForStateChange(ctx, s) {
			return ctx.Err()
		}
	}
}

// SetState is called by the balancer.
func (cc *ClientConn) SetState(s State) {
	cc.csMgr.updateState(s)
}
