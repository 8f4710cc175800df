package grpc

import (
	"errors"
	"sync"
	"sync/atomic"
)

type State int

const (
	Idle State = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

type SubConnState struct {
	ConnectivityState State
	ConnectionError   error
}

type ClientConnState struct {
	Addresses []string
}

type SubConn interface {
	Connect()
}

type Balancer interface {
	UpdateClientConnState(ClientConnState) error
	ResolverError(error)
	UpdateSubConnState(SubConn, SubConnState)
	Close()
}

type Builder interface {
	Build(cc *ccBalancerWrapper) Balancer
}

// Event represents a one-time event that may occur in the future.
type Event struct {
	fired int32
	c     chan struct{}
	o     sync.Once
}

func NewEvent() *Event { return &Event{c: make(chan struct{})} }

func (e *Event) Fire() bool {
	ret := false
	e.o.Do(func() {
		atomic.StoreInt32(&e.fired, 1)
		close(e.c)
		ret = true
	})
	return ret
}

func (e *Event) Done() <-chan struct{} { return e.c }

func (e *Event) HasFired() bool { return atomic.LoadInt32(&e.fired) == 1 }

type Unbounded struct {
	c       chan interface{}
	mu      sync.Mutex
	backlog []interface{}
}

func NewUnbounded() *Unbounded { return &Unbounded{c: make(chan interface{}, 1)} }

func (b *Unbounded) Put(t interface{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.backlog) == 0 {
		select {
		case b.c <- t:
			return
		default:
		}
	}
	b.backlog = append(b.backlog, t)
}

func (b *Unbounded) Load() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.backlog) > 0 {
		select {
		case b.c <- b.backlog[0]:
			b.backlog = b.backlog[1:]
		default:
		}
	}
}

func (b *Unbounded) Get() <-chan interface{} { return b.c }

// scStateUpdate contains the subConn and the new state it changed to.
type scStateUpdate struct {
	sc    SubConn
	state State
	err   error
}

// ccBalancerWrapper is a wrapper on top of cc for balancers.
type ccBalancerWrapper struct {
	removeAddrConn func(SubConn)
	balancerMu     sync.Mutex // synchronizes calls to the balancer
	balancer       Balancer
	scBuffer       *Unbounded
	done           *Event

	mu       sync.Mutex
	subConns map[SubConn]struct{}
}

func newCCBalancerWrapper(b Builder, remove func(SubConn)) *ccBalancerWrapper {
	ccb := &ccBalancerWrapper{
		removeAddrConn: remove,
		scBuffer:       NewUnbounded(),
		done:           NewEvent(),
		subConns:       make(map[SubConn]struct{}),
	}
	ccb.balancer = b.Build(ccb)
	go ccb.watcher()
	return ccb
}

func (ccb *ccBalancerWrapper) watcher() {
	for {
		select {
		case t := <-ccb.scBuffer.Get():
			ccb.scBuffer.Load()
			ccb.balancerMu.Lock()
			if ccb.done.HasFired() {
				ccb.balancerMu.Unlock()
				break
			}
			su := t.(*scStateUpdate)
			ccb.balancer.UpdateSubConnState(su.sc, SubConnState{ConnectivityState: su.state, ConnectionError: su.err})
			ccb.balancerMu.Unlock()
		case <-ccb.done.Done():
		}

		if ccb.done.HasFired() {
			ccb.mu.Lock()
			scs := ccb.subConns
			ccb.subConns = nil
			ccb.mu.Unlock()
			for sc := range scs {
				ccb.removeAddrConn(sc)
			}
			return
		}
	}
}

func (ccb *ccBalancerWrapper) close() {
	ccb.balancerMu.Lock()
	defer ccb.balancerMu.Unlock()
	ccb.balancer.Close()
	ccb.done.Fire()
}

// handleSubConnStateChange is called by the transports.
func (ccb *ccBalancerWrapper) handleSubConnStateChange(sc SubConn, s State, err error) {
	if sc == nil {
		return
	}
	ccb.scBuffer.Put(&scStateUpdate{sc: sc, state: s, err: err})
}

// updateClientConnState is called by the resolver.
func (ccb *ccBalancerWrapper) updateClientConnState(ccs *ClientConnState) error {
	ccb.balancerMu.Lock()
	defer ccb.balancerMu.Unlock()
	if ccb.done.HasFired() {
		return nil
	}
	return ccb.balancer.UpdateClientConnState(*ccs)
}

func (ccb *ccBalancerWrapper) resolverError(err error) {
	ccb.balancerMu.Lock()
	defer ccb.balancerMu.Unlock()
	if ccb.done.HasFired() {
		return
	}
	ccb.balancer.ResolverError(err)
}

// NewSubConn is called by the balancer.
func (ccb *ccBalancerWrapper) NewSubConn(sc SubConn) error {
	ccb.mu.Lock()
	defer ccb.mu.Unlock()
	if ccb.subConns == nil {
		return errors.New("grpc: ClientConn balancer wrapper was closed")
	}
	ccb.subConns[sc] = struct{}{}
	return nil
}

// ClientConn switches between balancers.
type ClientConn struct {
	mu             sync.Mutex
	balancerWrap   *ccBalancerWrapper
	removeAddrConn func(SubConn)
}

// switchBalancer is called when the service config names another balancer.
func (cc *ClientConn) switchBalancer(b Builder) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.balancerWrap != nil {
		cc.balancerWrap.close()
	}
	cc.balancerWrap = newCCBalancerWrapper(b, cc.removeAddrConn)
}

// Close tears down the ClientConn.
func (cc *ClientConn) Close() {
	cc.mu.Lock()
	w := cc.balancerWrap
	cc.balancerWrap = nil
	cc.mu.Unlock()
	if w != nil {
		w.close()
	}
}

// UpdateState is called by the resolver.
func (cc *ClientConn) UpdateState(s ClientConnState, err error) error {
	cc.mu.Lock()
	w := cc.balancerWrap
	cc.mu.Unlock()
	if w == nil {
		return nil
	}
	if err != nil {
		w.resolverError(err)
		return nil
	}
	return w.updateClientConnState(&s)
}

var _ = (*ClientConn).switchBalancer
var _ = (*ccBalancerWrapper).handleSubConnStateChange
