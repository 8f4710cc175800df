package gracefulswitch

import (
	"errors"
	"fmt"
	"sync"
)

var errBalancerClosed = errors.New("gracefulSwitchBalancer is closed")

type SubConn interface {
	Connect()
	Shutdown()
}

type ClientConn interface {
	NewSubConn(addrs []string) (SubConn, error)
}

type lbPolicy interface {
	UpdateClientConnState(addrs []string) error
	Close()
}

// Balancer is a utility to gracefully switch from one balancer to
// a new balancer.
type Balancer struct {
	cc ClientConn

	mu              sync.Mutex
	balancerCurrent *balancerWrapper
	balancerPending *balancerWrapper
	closed          bool
}

func NewBalancer(cc ClientConn) *Balancer { return &Balancer{cc: cc} }

// The caller must hold gsb.mu.
func (gsb *Balancer) balancerCurrentOrPending(bw *balancerWrapper) bool {
	return bw == gsb.balancerCurrent || bw == gsb.balancerPending
}

// SwitchTo is called, like UpdateClientConnState and Close, by the one goroutine
// of the channel's serializer; the children call NewSubConn from any goroutine.
func (gsb *Balancer) SwitchTo(build func(*balancerWrapper) lbPolicy) error {
	gsb.mu.Lock()
	if gsb.closed {
		gsb.mu.Unlock()
		return errBalancerClosed
	}
	bw := &balancerWrapper{gsb: gsb, subconns: make(map[SubConn]bool)}
	balToClose := gsb.balancerPending
	if gsb.balancerCurrent == nil {
		gsb.balancerCurrent = bw
	} else {
		gsb.balancerPending = bw
	}
	gsb.mu.Unlock()
	balToClose.Close()
	bw.policy = build(bw)
	return nil
}

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
	return balToUpdate.policy.UpdateClientConnState(addrs)
}

// Close closes any active child balancers.
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

// balancerWrapper helps cleanup SubConns created by the wrapped balancer.
type balancerWrapper struct {
	gsb      *Balancer
	policy   lbPolicy
	subconns map[SubConn]bool // subconns created by this balancer, guarded by gsb.mu
}

// Close closes the underlying LB policy and shuts down the subconns it
// created. bw must not be referenced via balancerCurrent or balancerPending in
// gsb when called. Does not panic with a nil receiver.
func (bw *balancerWrapper) Close() {
	if bw == nil {
		return
	}
	bw.policy.Close()
	bw.gsb.mu.Lock()
	for sc := range bw.subconns {
		sc.Shutdown()
	}
	bw.gsb.mu.Unlock()
}

func (bw *balancerWrapper) NewSubConn(addrs []string) (SubConn, error) {
	bw.gsb.mu.Lock()
	if !bw.gsb.balancerCurrentOrPending(bw) {
		bw.gsb.mu.Unlock()
		return nil, fmt.Errorf("%T at address %p that called NewSubConn is deleted", bw, bw)
	}
	bw.gsb.mu.Unlock()

	sc, err := bw.gsb.cc.NewSubConn(addrs)
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
