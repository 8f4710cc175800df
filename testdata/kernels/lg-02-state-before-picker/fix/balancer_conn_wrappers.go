package grpc

import "sync"

// Balancer takes input from gRPC, manages SubConns, and collects and aggregates
// the connectivity states.
type Balancer interface {
	HandleSubConnStateChange(sc SubConn, state State)
	Close()
}

type scStateUpdate struct {
	sc    SubConn
	state State
}

// ccBalancerWrapper is a wrapper on top of cc for balancers.
type ccBalancerWrapper struct {
	cc            *ClientConn
	balancer      Balancer
	stateChangeCh chan *scStateUpdate
	done          chan struct{}

	mu       sync.Mutex
	subConns map[SubConn]struct{}
}

func newCCBalancerWrapper(cc *ClientConn, build func(*ccBalancerWrapper) Balancer) *ccBalancerWrapper {
	ccb := &ccBalancerWrapper{
		cc:            cc,
		stateChangeCh: make(chan *scStateUpdate),
		done:          make(chan struct{}),
		subConns:      make(map[SubConn]struct{}),
	}
	ccb.balancer = build(ccb)
	go ccb.watcher()
	return ccb
}

// watcher balancer functions sequentially, so the balancer can be implemented
// lock-free.
func (ccb *ccBalancerWrapper) watcher() {
	for {
		select {
		case t := <-ccb.stateChangeCh:
			ccb.balancer.HandleSubConnStateChange(t.sc, t.state)
		case <-ccb.done:
			ccb.balancer.Close()
			ccb.mu.Lock()
			ccb.subConns = nil
			ccb.mu.Unlock()
			return
		}
	}
}

func (ccb *ccBalancerWrapper) close() {
	close(ccb.done)
}

func (ccb *ccBalancerWrapper) handleSubConnStateChange(sc SubConn, s State) {
	select {
	case ccb.stateChangeCh <- &scStateUpdate{sc: sc, state: s}:
	case <-ccb.done:
	}
}

func (ccb *ccBalancerWrapper) NewSubConn(create func() SubConn) (SubConn, error) {
	ccb.mu.Lock()
	defer ccb.mu.Unlock()
	if ccb.subConns == nil {
		return nil, errBalancerWrapperClosed
	}
	sc := create()
	ccb.subConns[sc] = struct{}{}
	return sc, nil
}

func (ccb *ccBalancerWrapper) RemoveSubConn(sc SubConn) {
	ccb.mu.Lock()
	defer ccb.mu.Unlock()
	if ccb.subConns == nil {
		return
	}
	delete(ccb.subConns, sc)
}

// UpdateBalancerState is called by the balancer, from the watcher goroutine.
func (ccb *ccBalancerWrapper) UpdateBalancerState(s State, p Picker) {
	ccb.mu.Lock()
	defer ccb.mu.Unlock()
	if ccb.subConns == nil {
		return
	}
	ccb.cc.blockingpicker.updatePicker(p)
	ccb.cc.csMgr.updateState(s)
}

func (ccb *ccBalancerWrapper) Target() string {
	return ccb.cc.target
}
