// Package picker chooses a connection for every call.
package picker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	ErrClientConnClosing    = errors.New("grpc: the client connection is closing")
	ErrNoSubConnAvailable   = errors.New("no SubConn is available")
	errTransientFailureText = "latest balancer error: %w"
)

// Transport is a connection that is ready.
type Transport interface {
	Write(method string, msg []byte) error
}

// addrConn is the connection to one address.
type addrConn struct {
	mu        sync.Mutex
	ready     bool
	transport Transport
}

// getReadyTransport returns the transport if ac's state is READY or nil if not.
func (ac *addrConn) getReadyTransport() Transport {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.ready {
		return ac.transport
	}
	return nil
}

func (ac *addrConn) setTransport(t Transport) {
	ac.mu.Lock()
	ac.transport, ac.ready = t, t != nil
	ac.mu.Unlock()
}

// PickResult is what a picker has chosen.
type PickResult struct {
	SubConn *addrConn
	Done    func(error)
}

// Picker is made anew by the balancer whenever a connection changes.
type Picker interface {
	Pick(method string) (PickResult, error)
}

// roundRobin goes through the ready connections.
type roundRobin struct {
	conns []*addrConn
	next  atomic.Uint32
}

func (r *roundRobin) Pick(string) (PickResult, error) {
	if len(r.conns) == 0 {
		return PickResult{}, ErrNoSubConnAvailable
	}
	n := r.next.Add(1)
	return PickResult{SubConn: r.conns[int(n)%len(r.conns)]}, nil
}

type pickerGeneration struct {
	// picker is the picker produced by the LB policy.  May be nil if a picker
	// has never been produced.
	picker Picker
	// blockingCh is closed when the picker has been invalidated because there
	// is a new one available.
	blockingCh chan struct{}
}

// pickerWrapper is a wrapper of Picker. It blocks on certain pick
// actions and unblock when there's a picker update.
type pickerWrapper struct {
	// If pickerGen holds a nil pointer, the pickerWrapper is closed.
	pickerGen atomic.Pointer[pickerGeneration]
}

func newPickerWrapper() *pickerWrapper {
	pw := &pickerWrapper{}
	pw.pickerGen.Store(&pickerGeneration{blockingCh: make(chan struct{})})
	return pw
}

// updatePicker is called by UpdateState calls from the LB policy. It
// unblocks all blocked pick.
func (pw *pickerWrapper) updatePicker(p Picker) {
	old := pw.pickerGen.Swap(&pickerGeneration{picker: p, blockingCh: make(chan struct{})})
	close(old.blockingCh)
}

func (pw *pickerWrapper) close() {
	old := pw.pickerGen.Swap(nil)
	close(old.blockingCh)
}

func (pw *pickerWrapper) pick(ctx context.Context, failfast bool, method string) (Transport, func(error), error) {
	var ch chan struct{}
	var lastPickErr error
	for {
		pg := pw.pickerGen.Load()
		if pg == nil {
			return nil, nil, ErrClientConnClosing
		}
		if pg.picker == nil {
			ch = pg.blockingCh
		}
		if ch == pg.blockingCh {
			// This could happen when either:
			// - pw.picker is nil (the previous if condition), or
			// - we have already called pick on the current picker.
			select {
			case <-ctx.Done():
				if lastPickErr != nil {
					return nil, nil, fmt.Errorf(errTransientFailureText, lastPickErr)
				}
				return nil, nil, ctx.Err()
			case <-ch:
			}
			continue
		}

		ch = pg.blockingCh
		pickResult, err := pg.picker.Pick(method)
		if err != nil {
			if err == ErrNoSubConnAvailable {
				continue
			}
			if !failfast {
				lastPickErr = err
				continue
			}
			return nil, nil, err
		}
		if t := pickResult.SubConn.getReadyTransport(); t != nil {
			return t, pickResult.Done, nil
		}
		if pickResult.Done != nil {
			pickResult.Done(nil)
		}
		// The connection has gone, the balancer will bring a new picker.
	}
}

// ClientConn is a channel to a service.
type ClientConn struct {
	pickerWrapper *pickerWrapper

	mu     sync.Mutex
	closed bool
}

func NewClientConn() *ClientConn { return &ClientConn{pickerWrapper: newPickerWrapper()} }

// UpdateState takes over the picker of the balancer.
func (cc *ClientConn) UpdateState(ready []*addrConn) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.closed {
		return
	}
	cc.pickerWrapper.updatePicker(&roundRobin{conns: ready})
}

// Invoke sends a message; it may come back with an error of the transport.
func (cc *ClientConn) Invoke(ctx context.Context, method string, msg []byte) error {
	t, done, err := cc.pickerWrapper.pick(ctx, false, method)
	if err != nil {
		return err
	}
	err = t.Write(method, msg)
	if done != nil {
		done(err)
	}
	return err
}

func (cc *ClientConn) Close() error {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cc.closed {
		return ErrClientConnClosing
	}
	cc.closed = true
	cc.pickerWrapper.close()
	return nil
}
