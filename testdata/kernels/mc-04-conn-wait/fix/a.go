package a

import (
	"context"
	"errors"
	"sync"
)

// ConnectivityState indicates the state of a client connection.
type ConnectivityState int

const (
	Idle ConnectivityState = iota
	Connecting
	Ready
	TransientFailure
	Shutdown
)

var (
	ErrClientConnClosing = errors.New("grpc: the client connection is closing")
	errConnAborted       = errors.New("grpc: connection attempt aborted")
)

// ClientTransport is the transport of one connection.
type ClientTransport struct {
	addr string
	done chan struct{}
	once sync.Once
}

func (t *ClientTransport) Close() { t.once.Do(func() { close(t.done) }) }

// Error is closed when the transport failed.
func (t *ClientTransport) Error() <-chan struct{} { return t.done }

// Conn is a client connection to a single destination.
type Conn struct {
	target string
	dial   func(addr string) (*ClientTransport, error)

	mu        sync.Mutex
	state     ConnectivityState
	ready     chan struct{}
	transport *ClientTransport
}

// NewConn creates a connection and starts to monitor it.
func NewConn(target string, dial func(string) (*ClientTransport, error)) (*Conn, error) {
	cc := &Conn{target: target, dial: dial}
	if err := cc.resetTransport(); err != nil {
		return nil, err
	}
	go cc.transportMonitor()
	return cc, nil
}

func (cc *Conn) curTransport() *ClientTransport {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	return cc.transport
}

func (cc *Conn) resetTransport() error {
	cc.mu.Lock()
	if cc.state == Shutdown {
		cc.mu.Unlock()
		return ErrClientConnClosing
	}
	cc.state = Connecting
	if cc.transport != nil {
		cc.transport.Close()
		cc.transport = nil
	}
	cc.mu.Unlock()

	t, err := cc.dial(cc.target)
	if err != nil {
		return errConnAborted
	}

	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.state == Shutdown {
		t.Close()
		return ErrClientConnClosing
	}
	cc.state = Ready
	cc.transport = t
	if cc.ready != nil {
		close(cc.ready)
		cc.ready = nil
	}
	return nil
}

// transportMonitor tracks the connectivity and reconnects on a failure.
func (cc *Conn) transportMonitor() {
	for {
		t := cc.curTransport()
		if t == nil {
			return
		}
		<-t.Error()
		if err := cc.resetTransport(); err != nil {
			cc.Close()
			return
		}
	}
}

// Wait blocks until the connection is ready, or closed, or ctx is done.
func (cc *Conn) Wait(ctx context.Context) (*ClientTransport, error) {
	for {
		cc.mu.Lock()
		switch {
		case cc.state == Shutdown:
			cc.mu.Unlock()
			return nil, ErrClientConnClosing
		case cc.state == Ready:
			ct := cc.transport
			cc.mu.Unlock()
			return ct, nil
		default:
			ready := cc.ready
			if ready == nil {
				ready = make(chan struct{})
				cc.ready = ready
			}
			cc.mu.Unlock()
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-ready:
			}
		}
	}
}

// Close starts to tear down the connection.
func (cc *Conn) Close() error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.state == Shutdown {
		return ErrClientConnClosing
	}
	cc.state = Shutdown
	if cc.ready != nil {
		close(cc.ready)
		cc.ready = nil
	}
	if cc.transport != nil {
		cc.transport.Close()
		cc.transport = nil
	}
	return nil
}
