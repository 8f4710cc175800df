package a

import (
	"errors"
	"sync"
)

var (
	ErrClientConnClosing = errors.New("grpc: the client connection is closing")
	errConnDrain         = errors.New("grpc: the connection is drained")
	errNetworkIO         = errors.New("grpc: failed with network I/O error")
	errNoTransport       = errors.New("grpc: failed to find the transport to send the rpc")
)

type Address struct{ Addr string }

// ClientTransport is the connection to one server.
type ClientTransport interface {
	GoAway() <-chan struct{}
	Error() <-chan struct{}
	GracefulClose()
	Close()
}

// ClientConn represents a client connection to an RPC server.
type ClientConn struct {
	dial func(Address) ClientTransport

	mu    sync.RWMutex
	conns map[Address]*addrConn
}

// Dial creates a client connection to the given addresses.
func Dial(dial func(Address) ClientTransport, addrs ...Address) (*ClientConn, error) {
	cc := &ClientConn{dial: dial, conns: map[Address]*addrConn{}}
	for _, a := range addrs {
		if err := cc.newAddrConn(a); err != nil {
			cc.Close()
			return nil, err
		}
	}
	return cc, nil
}

func (cc *ClientConn) newAddrConn(addr Address) error {
	ac := &addrConn{cc: cc, addr: addr, shutdownChan: make(chan struct{})}
	ac.stateCV = sync.NewCond(&ac.mu)
	// Insert ac into ac.cc.conns. This needs to be done before any getTransport(...) is called.
	ac.cc.mu.Lock()
	if ac.cc.conns == nil {
		ac.cc.mu.Unlock()
		return ErrClientConnClosing
	}
	stale := ac.cc.conns[ac.addr]
	ac.cc.conns[ac.addr] = ac
	ac.cc.mu.Unlock()
	if stale != nil {
		// There is an addrConn alive on ac.addr already. This could be due to
		// i) stale's Close is undergoing;
		// ii) duplicated Addresses.
		stale.tearDown(errConnDrain)
	}
	go func() {
		if ac.resetTransport() {
			ac.transportMonitor()
		}
	}()
	return nil
}

// GetTransport returns the transport an RPC to addr is to be sent on.
func (cc *ClientConn) GetTransport(addr Address) (ClientTransport, error) {
	for {
		cc.mu.RLock()
		if cc.conns == nil {
			cc.mu.RUnlock()
			return nil, ErrClientConnClosing
		}
		ac, ok := cc.conns[addr]
		cc.mu.RUnlock()
		if !ok {
			return nil, errNoTransport
		}
		t, err := ac.wait()
		if err == errConnDrain || err == errNetworkIO {
			continue
		}
		return t, err
	}
}

// Close tears down the ClientConn and all underlying connections.
func (cc *ClientConn) Close() error {
	cc.mu.Lock()
	if cc.conns == nil {
		cc.mu.Unlock()
		return ErrClientConnClosing
	}
	conns := cc.conns
	cc.conns = nil
	cc.mu.Unlock()
	for _, ac := range conns {
		ac.tearDown(ErrClientConnClosing)
	}
	return nil
}

// addrConn is a network connection to a given address.
type addrConn struct {
	cc           *ClientConn
	addr         Address
	shutdownChan chan struct{}

	mu          sync.Mutex
	stateCV     *sync.Cond
	shutdown    bool
	tearDownErr error
	transport   ClientTransport
}

func (ac *addrConn) resetTransport() bool {
	t := ac.cc.dial(ac.addr)
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.shutdown {
		t.Close()
		return false
	}
	ac.transport = t
	ac.stateCV.Broadcast()
	return true
}

// transportMonitor runs in a goroutine to track the error in transport and
// create the new transport if an error happens.
func (ac *addrConn) transportMonitor() {
	ac.mu.Lock()
	t := ac.transport
	ac.mu.Unlock()
	select {
	// Cancellation is needed to exit when ac is torn down.
	case <-ac.shutdownChan:
		return
	case <-t.GoAway():
		// If GoAway happens without any network I/O error, ac is closed
		// without shutting down the underlying transport. In both cases, a
		// new ac is created.
		select {
		case <-t.Error():
			ac.tearDown(errNetworkIO)
		default:
			ac.tearDown(errConnDrain)
		}
		ac.cc.newAddrConn(ac.addr)
	case <-t.Error():
		ac.tearDown(errNetworkIO)
		ac.cc.newAddrConn(ac.addr)
	}
}

// wait blocks until the transport is ready or ac is torn down.
func (ac *addrConn) wait() (ClientTransport, error) {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	for !ac.shutdown && ac.transport == nil {
		ac.stateCV.Wait()
	}
	if ac.shutdown {
		return nil, ac.tearDownErr
	}
	return ac.transport, nil
}

// tearDown starts to tear down the addrConn.
func (ac *addrConn) tearDown(err error) {
	ac.mu.Lock()
	defer func() {
		ac.mu.Unlock()
		ac.cc.mu.Lock()
		if ac.cc.conns != nil {
			delete(ac.cc.conns, ac.addr)
		}
		ac.cc.mu.Unlock()
	}()
	if ac.shutdown {
		return
	}
	ac.shutdown = true
	ac.tearDownErr = err
	ac.stateCV.Broadcast()
	close(ac.shutdownChan)
	if ac.transport != nil {
		if err == errConnDrain {
			ac.transport.GracefulClose()
		} else {
			ac.transport.Close()
		}
	}
}
