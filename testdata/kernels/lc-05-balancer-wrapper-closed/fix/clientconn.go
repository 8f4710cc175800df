package grpc

import "sync"

// ClientConn represents a client connection to an RPC server.
type ClientConn struct {
	target string
	dial   func(addr string, stop <-chan struct{}) error

	mu              sync.Mutex
	conns           map[*addrConn]struct{}
	balancerWrapper *ccBalancerWrapper
	state           State
	picker          Picker
}

// NewClientConn creates a client connection.
func NewClientConn(target string, dial func(string, <-chan struct{}) error) *ClientConn {
	return &ClientConn{target: target, dial: dial, conns: make(map[*addrConn]struct{})}
}

// switchBalancer starts the switching from current balancer to the balancer
// built by b. It is called by the goroutine of the resolver only.
func (cc *ClientConn) switchBalancer(b Builder) {
	cc.mu.Lock()
	old := cc.balancerWrapper
	cc.balancerWrapper = nil
	cc.mu.Unlock()
	if old != nil {
		old.close()
	}
	ccb := newCCBalancerWrapper(cc, b)
	cc.mu.Lock()
	cc.balancerWrapper = ccb
	cc.mu.Unlock()
}

// newAddrConn creates an addrConn for addrs and adds it to cc.conns.
func (cc *ClientConn) newAddrConn(addrs []string) (*addrConn, error) {
	ac := &addrConn{cc: cc, addrs: addrs, stop: make(chan struct{})}
	// Track ac in cc. This needs to be done before any getTransport(...) is called.
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.conns == nil {
		return nil, ErrClientConnClosing
	}
	cc.conns[ac] = struct{}{}
	return ac, nil
}

// removeAddrConn removes the addrConn in the subConn from clientConn.
// It also tears down the ac with the given error.
func (cc *ClientConn) removeAddrConn(ac *addrConn, err error) {
	cc.mu.Lock()
	_, ok := cc.conns[ac]
	delete(cc.conns, ac)
	cc.mu.Unlock()
	if ok {
		ac.tearDown(err)
	}
}

func (cc *ClientConn) updateState(s State, p Picker) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	cc.state = s
	cc.picker = p
}

// addrConn is a network connection to a given address.
type addrConn struct {
	cc    *ClientConn
	addrs []string

	mu          sync.Mutex
	state       State
	tearDownErr error
	stop        chan struct{}
}

// connect starts to creating transport and also starts the transport monitor
// goroutine for this ac.
func (ac *addrConn) connect() {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state != Idle {
		return
	}
	ac.state = Connecting
	go func() {
		for ac.cc.dial(ac.addrs[0], ac.stop) != nil {
			select {
			case <-ac.stop:
				return
			default:
			}
		}
	}()
}

// tearDown starts to tear down the addrConn.
func (ac *addrConn) tearDown(err error) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.state == Shutdown {
		return
	}
	ac.state = Shutdown
	ac.tearDownErr = err
	close(ac.stop)
}
