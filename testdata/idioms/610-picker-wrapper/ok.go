// Package grpc picks connections for requests.
package grpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var (
	// ErrClientConnClosing indicates that the operation is illegal because
	// the ClientConn is closing.
	ErrClientConnClosing = errors.New("grpc: the client connection is closing")
	// ErrNoSubConnAvailable is returned by a picker to wait for a new one.
	ErrNoSubConnAvailable = errors.New("no SubConn is available")
)

// Transport is a connection that is ready.
type Transport interface{ Send(msg []byte) error }

// SubConn connects and reconnects.
type SubConn struct {
	mu        sync.Mutex
	ready     bool
	transport Transport
}

// SetTransport is called when the connection is made or lost.
func (ac *SubConn) SetTransport(t Transport) {
	ac.mu.Lock()
	ac.ready, ac.transport = t != nil, t
	ac.mu.Unlock()
}

func (ac *SubConn) getReadyTransport() Transport {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.ready {
		return ac.transport
	}
	return nil
}

// Picker is used by gRPC to pick a SubConn to send an RPC.
type Picker interface {
	Pick(method string) (*SubConn, error)
}

// pickerGeneration stores a picker and a channel used to signal that a picker
// newer than this one is available.
type pickerGeneration struct {
	// picker is the picker produced by the LB policy.  May be nil if a picker
	// has never been produced.
	picker Picker
	// blockingCh is closed when the picker has been invalidated because there
	// is a new one available.
	blockingCh chan struct{}
}

// pickerWrapper is a wrapper of balancer.Picker. It blocks on certain pick
// actions and unblock when there's a picker update.
type pickerWrapper struct {
	// If pickerGen holds a nil pointer, the pickerWrapper is closed.
	pickerGen atomic.Pointer[pickerGeneration]
}

func newPickerWrapper() *pickerWrapper {
	pw := &pickerWrapper{}
	pw.pickerGen.Store(&pickerGeneration{
		blockingCh: make(chan struct{}),
	})
	return pw
}

// updatePicker is called by UpdateState calls from the LB policy. It
// unblocks all blocked pick.
func (pw *pickerWrapper) updatePicker(p Picker) {
	old := pw.pickerGen.Swap(&pickerGeneration{
		picker:     p,
		blockingCh: make(chan struct{}),
	})
	close(old.blockingCh)
}

// pick returns the transport that will be used for the RPC.
// It may block in the following cases:
// - there's no picker
// - the current picker returns ErrNoSubConnAvailable
// - the current picker returns other errors and failfast is false.
// - the subConn returned by the current picker is not READY
// When one of these situations happens, pick blocks until the picker gets updated.
func (pw *pickerWrapper) pick(ctx context.Context, failfast bool, method string) (Transport, error) {
	var ch chan struct{}

	var lastPickErr error

	for {
		pg := pw.pickerGen.Load()
		if pg == nil {
			return nil, ErrClientConnClosing
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
					return nil, fmt.Errorf("latest balancer error: %w", lastPickErr)
				}
				return nil, fmt.Errorf("%w while waiting for connections to become ready", ctx.Err())
			case <-ch:
			}
			continue
		}

		ch = pg.blockingCh
		p := pg.picker

		sc, err := p.Pick(method)
		if err != nil {
			if err == ErrNoSubConnAvailable {
				continue
			}
			// Wait for ready RPCs should block and other RPCs should fail.
			if !failfast {
				lastPickErr = err
				continue
			}
			return nil, err
		}
		if t := sc.getReadyTransport(); t != nil {
			return t, nil
		}
		// If t is nil, ac.state is not READY.
		// A valid picker always returns READY subConn. This means the state of ac
		// just changed, and picker will be updated shortly.
		// continue back to the beginning of the for loop to repick.
	}
}

func (pw *pickerWrapper) close() {
	old := pw.pickerGen.Swap(nil)
	close(old.blockingCh)
}

// ClientConn sends requests.
type ClientConn struct {
	pickerWrapper *pickerWrapper
}

// NewClientConn takes the pickers of a balancer until the channel is closed.
func NewClientConn(pickers <-chan Picker) *ClientConn {
	cc := &ClientConn{pickerWrapper: newPickerWrapper()}
	go func() {
		for p := range pickers {
			cc.pickerWrapper.updatePicker(p)
		}
		cc.pickerWrapper.close()
	}()
	return cc
}

// Invoke sends a message.
func (cc *ClientConn) Invoke(ctx context.Context, method string, msg []byte, failfast bool) error {
	t, err := cc.pickerWrapper.pick(ctx, failfast, method)
	if err != nil {
		return err
	}
	return t.Send(msg)
}
