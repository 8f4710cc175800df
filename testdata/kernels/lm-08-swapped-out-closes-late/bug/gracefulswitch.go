package gracefulswitch

import (
	"errors"
	"fmt"
	"sync"
)

var errBalancerClosed = errors.New("gracefulSwitchBalancer is closed")

type ConnState int

const (
	Connecting ConnState = iota
	Ready
	TransientFailure
	Shutdown
)

type State struct {
	ConnectivityState ConnState
	Picker            interface{}
}

type SubConn interface {
	Connect()
	Shutdown()
}

type SubConnState struct {
	ConnectivityState ConnState
}

type NewSubConnOptions struct {
	StateListener func(SubConnState)
}

type ClientConn interface {
	NewSubConn(addrs []string, opts NewSubConnOptions) (SubConn, error)
	UpdateState(State)
}

type lbPolicy interface {
	UpdateClientConnState(addrs []string) error
	ResolverError(error)
	ExitIdle()
	Close()
}

type Builder interface {
	Build(cc ClientConn) lbPolicy
	Name() string
}

func NewBalancer(cc ClientConn) *Balancer {
	return &Balancer{cc: cc}
}

type Balancer struct {
	cc ClientConn

	mu              sync.Mutex
	balancerCurrent *balancerWrapper
	balancerPending *balancerWrapper
	closed          bool // set to true when this balancer is closed

	currentMu sync.Mutex
}

func (gsb *Balancer) swap() {
	gsb.cc.UpdateState(gsb.balancerPending.lastState)
	cur := gsb.balancerCurrent
	gsb.balancerCurrent = gsb.balancerPending
	gsb.balancerPending = nil
	go func() {
		gsb.currentMu.Lock()
		defer gsb.currentMu.Unlock()
		cur.Close()
	}()
}

func (gsb *Balancer) balancerCurrentOrPending(bw *balancerWrapper) bool {
	return bw == gsb.balancerCurrent || bw == gsb.balancerPending
}

func (gsb *Balancer) SwitchTo(builder Builder) error {
	gsb.mu.Lock()
	if gsb.closed {
		gsb.mu.Unlock()
		return errBalancerClosed
	}
	bw := &balancerWrapper{
		ClientConn: gsb.cc,
		builder:    builder,
		gsb:        gsb,
		lastState:  State{ConnectivityState: Connecting},
		subconns:   make(map[SubConn]bool),
	}
	balToClose := gsb.balancerPending // nil if there is no pending balancer
	if gsb.balancerCurrent == nil {
		gsb.balancerCurrent = bw
	} else {
		gsb.balancerPending = bw
	}
	gsb.mu.Unlock()
	balToClose.Close()
	bw.lbPolicy = builder.Build(bw)
	return nil
}

// Returns nil if the graceful switch balancer is closed.
func (gsb *Balancer) latestBalancer() *balancerWrapper {
	gsb.mu.Lock()
	defer gsb.mu.Unlock()
	if gsb.balancerPending != nil {
		return gsb.balancerPending
	}
	return gsb.balancerCurrent
}

func (gsb *Balancer) UpdateClientConnState(addrs []string) error {
	balToUpdate := gsb.latestBalancer()
	if balToUpdate == nil {
		return errBalancerClosed
	}
	return balToUpdate.UpdateClientConnState(addrs)
}

func (gsb *Balancer) ResolverError(err error) {
	balToUpdate := gsb.latestBalancer()
	if balToUpdate == nil {
		gsb.cc.UpdateState(State{ConnectivityState: TransientFailure})
		return
	}
	balToUpdate.ResolverError(err)
}

func (gsb *Balancer) updateSubConnState(sc SubConn, state SubConnState, cb func(SubConnState)) {
	gsb.currentMu.Lock()
	defer gsb.currentMu.Unlock()
	gsb.mu.Lock()
	var balToUpdate *balancerWrapper
	if gsb.balancerCurrent != nil && gsb.balancerCurrent.subconns[sc] {
		balToUpdate = gsb.balancerCurrent
	} else if gsb.balancerPending != nil && gsb.balancerPending.subconns[sc] {
		balToUpdate = gsb.balancerPending
	}
	if balToUpdate == nil {
		gsb.mu.Unlock()
		return
	}
	if state.ConnectivityState == Shutdown {
		delete(balToUpdate.subconns, sc)
	}
	gsb.mu.Unlock()
	if cb != nil {
		cb(state)
	}
}

func (gsb *Balancer) Close() {
	gsb.mu.Lock()
	gsb.closed = true
	currentBalancerToClose := gsb.balancerCurrent
	gsb.balancerCurrent = nil
	pendingBalancerToClose := gsb.balancerPending
	gsb.balancerPending = nil
	gsb.mu.Unlock()

	currentBalancerToClose.Close()
	pendingBalancerToClose.Close()
}

type balancerWrapper struct {
	ClientConn
	lbPolicy
	gsb     *Balancer
	builder Builder

	lastState State
	subconns  map[SubConn]bool // subconns created by this balancer
}

func (bw *balancerWrapper) Close() {
	if bw == nil {
		return
	}
	bw.lbPolicy.Close()
	bw.gsb.mu.Lock()
	for sc := range bw.subconns {
		sc.Shutdown()
	}
	bw.gsb.mu.Unlock()
}

func (bw *balancerWrapper) UpdateState(state State) {
	bw.gsb.mu.Lock()
	defer bw.gsb.mu.Unlock()
	bw.lastState = state

	if !bw.gsb.balancerCurrentOrPending(bw) {
		return
	}

	if bw == bw.gsb.balancerCurrent {
		if state.ConnectivityState != Ready && bw.gsb.balancerPending != nil {
			bw.gsb.swap()
			return
		}
		bw.gsb.cc.UpdateState(state)
		return
	}
	// This method is now dealing with a state update from the pending balancer.
	if state.ConnectivityState != Connecting || bw.gsb.balancerCurrent.lastState.ConnectivityState != Ready {
		bw.gsb.swap()
	}
}

func (bw *balancerWrapper) NewSubConn(addrs []string, opts NewSubConnOptions) (SubConn, error) {
	bw.gsb.mu.Lock()
	if !bw.gsb.balancerCurrentOrPending(bw) {
		bw.gsb.mu.Unlock()
		return nil, fmt.Errorf("%T at address %p that called NewSubConn is deleted", bw, bw)
	}
	bw.gsb.mu.Unlock()

	var sc SubConn
	oldListener := opts.StateListener
	opts.StateListener = func(state SubConnState) { bw.gsb.updateSubConnState(sc, state, oldListener) }
	sc, err := bw.gsb.cc.NewSubConn(addrs, opts)
	if err != nil {
		return nil, err
	}
	bw.gsb.mu.Lock()
	if !bw.gsb.balancerCurrentOrPending(bw) { // balancer was closed during this call
		sc.Shutdown()
		bw.gsb.mu.Unlock()
		return nil, fmt.Errorf("%T at address %p that called NewSubConn is deleted", bw, bw)
	}
	bw.subconns[sc] = true
	bw.gsb.mu.Unlock()
	return sc, nil
}
