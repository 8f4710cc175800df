package grpc

import (
	"errors"
	"fmt"
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

var errConnDrain = errors.New("grpc: the connection is drained")

// ErrClientConnClosing indicates that the operation is illegal because
// the ClientConn is closing.
var ErrClientConnClosing = errors.New("grpc: the client connection is closing")

// SubConn represents a gRPC sub connection.
type SubConn interface {
	Connect()
}

// Picker is used by gRPC to pick a SubConn to send an RPC.
type Picker interface {
	Pick() (SubConn, error)
}

// Balancer takes input from gRPC, manages SubConns, and collects and aggregates
// the connectivity states.
type Balancer interface {
	HandleSubConnStateChange(sc SubConn, state State)
	HandleResolvedAddrs(addrs []string, err error)
	Close()
}

// Builder creates a balancer.
type Builder interface {
	Build(ccb *ccBalancerWrapper) Balancer
}

type scStateUpdate struct {
	sc    SubConn
	state State
}

// resolverUpdate contains the new resolved addresses or error if there's
// any.
type resolverUpdate struct {
	addrs []string
	err   error
}

// ccBalancerWrapper is a wrapper on top of cc for balancers.
// It implements balancer.ClientConn interface.
type ccBalancerWrapper struct {
	cc               *ClientConn
	balancer         Balancer
	stateChangeQueue chan *scStateUpdate
	resolverUpdateCh chan *resolverUpdate
	done             chan struct{}
	exited           chan struct{} // closed when watcher returns

	mu       sync.RWMutex
	subConns map[*acBalancerWrapper]struct{}
}

func newCCBalancerWrapper(cc *ClientConn, b Builder) *ccBalancerWrapper {
	ccb := &ccBalancerWrapper{
		cc:               cc,
		stateChangeQueue: make(chan *scStateUpdate, 64),
		resolverUpdateCh: make(chan *resolverUpdate, 1),
		done:             make(chan struct{}),
		exited:           make(chan struct{}),
		subConns:         make(map[*acBalancerWrapper]struct{}),
	}
	ccb.balancer = b.Build(ccb)
	go ccb.watcher()
	return ccb
}

// watcher balancer functions sequencially, so the balancer can be implemeneted
// lock-free.
func (ccb *ccBalancerWrapper) watcher() {
	defer close(ccb.exited)
	for {
		select {
		case t := <-ccb.stateChangeQueue:
			ccb.balancer.HandleSubConnStateChange(t.sc, t.state)
		case t := <-ccb.resolverUpdateCh:
			ccb.balancer.HandleResolvedAddrs(t.addrs, t.err)
		case <-ccb.done:
		}

		select {
		case <-ccb.done:
			ccb.balancer.Close()
			ccb.mu.RLock()
			for acbw := range ccb.subConns {
				ccb.cc.removeAddrConn(acbw.ac, errConnDrain)
			}
			ccb.mu.RUnlock()
			return
		default:
		}
	}
}

func (ccb *ccBalancerWrapper) close() {
	close(ccb.done)
	<-ccb.exited
}

func (ccb *ccBalancerWrapper) handleSubConnStateChange(sc SubConn, s State) {
	select {
	case ccb.stateChangeQueue <- &scStateUpdate{sc: sc, state: s}:
	case <-ccb.done:
	}
}

func (ccb *ccBalancerWrapper) handleResolvedAddrs(addrs []string, err error) {
	select {
	case <-ccb.resolverUpdateCh:
	default:
	}
	select {
	case ccb.resolverUpdateCh <- &resolverUpdate{addrs: addrs, err: err}:
	case <-ccb.done:
	}
}

// NewSubConn is called by balancer to create a new SubConn. Balancers may call
// it from their own goroutines.
func (ccb *ccBalancerWrapper) NewSubConn(addrs []string) (SubConn, error) {
	if len(addrs) <= 0 {
		return nil, fmt.Errorf("grpc: cannot create SubConn with empty address list")
	}
	ac, err := ccb.cc.newAddrConn(addrs)
	if err != nil {
		return nil, err
	}
	acbw := &acBalancerWrapper{ac: ac}
	ccb.mu.Lock()
	ccb.subConns[acbw] = struct{}{}
	ccb.mu.Unlock()
	return acbw, nil
}

func (ccb *ccBalancerWrapper) RemoveSubConn(sc SubConn) {
	acbw, ok := sc.(*acBalancerWrapper)
	if !ok {
		return
	}
	ccb.mu.Lock()
	delete(ccb.subConns, acbw)
	ccb.mu.Unlock()
	ccb.cc.removeAddrConn(acbw.ac, errConnDrain)
}

// UpdateBalancerState is called by balancer to notify gRPC that some internal
// state in balancer has changed.
func (ccb *ccBalancerWrapper) UpdateBalancerState(s State, p Picker) {
	ccb.cc.updateState(s, p)
}

func (ccb *ccBalancerWrapper) Target() string {
	return ccb.cc.target
}

// acBalancerWrapper is a wrapper on top of ac for balancers.
// It implements balancer.SubConn interface.
type acBalancerWrapper struct {
	ac *addrConn
}

func (acbw *acBalancerWrapper) Connect() {
	acbw.ac.connect()
}
