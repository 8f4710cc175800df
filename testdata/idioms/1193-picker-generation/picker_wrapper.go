package grpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrClientConnClosing indicates that the operation is illegal because
	// the ClientConn is closing.
	ErrClientConnClosing = errors.New("grpc: the client connection is closing")
	// ErrNoSubConnAvailable indicates no SubConn is available for pick().
	ErrNoSubConnAvailable = errors.New("no SubConn is available")
)

// Transport is a connection.
type Transport interface{ Close() }

// subConn is a connection that may be ready or not.
type subConn struct {
	mu        sync.Mutex
	transport Transport
}

// getReadyTransport returns the transport if ac's state is READY or nil if not.
func (ac *subConn) getReadyTransport() Transport {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	return ac.transport
}

// Picker is used by gRPC to pick a SubConn to send an RPC.
type Picker interface {
	Pick() (*subConn, error)
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
func (pw *pickerWrapper) pick(ctx context.Context, failfast bool) (Transport, error) {
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
					return nil, lastPickErr
				}
				return nil, ctx.Err()
			case <-ch:
			}
			continue
		}

		ch = pg.blockingCh
		p := pg.picker

		sc, err := p.Pick()
		if err != nil {
			if err == ErrNoSubConnAvailable {
				continue
			}
			// For all other errors, wait for ready RPCs should block and other
			// RPCs should fail with unavailable.
			if !failfast {
				lastPickErr = err
				continue
			}
			return nil, err
		}

		if t := sc.getReadyTransport(); t != nil {
			return t, nil
		}
		// If ok == false, ac.state is not READY.
		// A valid picker always returns READY subConn. This means the state of ac
		// just changed, and picker will be updated shortly.
		// continue back to the beginning of the for loop to repick.
	}
}

// close is called by ClientConn.Close, after which updatePicker is not called
// any more.
func (pw *pickerWrapper) close() {
	old := pw.pickerGen.Swap(nil)
	if old != nil {
		close(old.blockingCh)
	}
}
