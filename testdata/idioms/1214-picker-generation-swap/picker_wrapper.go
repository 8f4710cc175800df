package grpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errClientConnClosing  = errors.New("grpc: the client connection is closing")
	errNoSubConnAvailable = errors.New("no SubConn is available")
	errTransientFailure   = errors.New("all SubConns are in TransientFailure")
)

type picker interface {
	Pick(method string) (*addrConn, error)
}

// pickerGeneration stores a picker and a channel used to signal that a picker
// newer than this one is available.
type pickerGeneration struct {
	// picker is the picker produced by the LB policy.  May be nil if a picker
	// has never been produced.
	picker picker
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
func (pw *pickerWrapper) updatePicker(p picker) {
	old := pw.pickerGen.Swap(&pickerGeneration{
		picker:     p,
		blockingCh: make(chan struct{}),
	})
	close(old.blockingCh)
}

// pick returns the transport that will be used for the RPC.
// It may block when there's no picker, when the picker has no connection, or
// when the subConn returned by the current picker is not READY; it then blocks
// until the picker gets updated.
func (pw *pickerWrapper) pick(ctx context.Context, failfast bool, method string) (*transport, error) {
	var ch chan struct{}
	for {
		pg := pw.pickerGen.Load()
		if pg == nil {
			return nil, errClientConnClosing
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
				return nil, ctx.Err()
			case <-ch:
			}
			continue
		}

		ch = pg.blockingCh
		ac, err := pg.picker.Pick(method)
		if err != nil {
			if err == errNoSubConnAvailable || !failfast {
				continue
			}
			return nil, err
		}
		if t := ac.getReadyTransport(); t != nil {
			return t, nil
		}
		// If ok == false, ac.state is not READY.
		// A valid picker always returns READY subConn. This means the state of ac
		// just changed, and picker will be updated shortly.
		// continue back to the beginning of the for loop to repick.
	}
}

// close is called once, when the ClientConn closes; the policy has been closed
// before and calls updatePicker no more.
func (pw *pickerWrapper) close() {
	old := pw.pickerGen.Swap(nil)
	close(old.blockingCh)
}

type transport struct{ addr string }

type addrConn struct {
	mu        sync.Mutex
	ready     bool
	transport *transport
}

func (ac *addrConn) getReadyTransport() *transport {
	ac.mu.Lock()
	defer ac.mu.Unlock()
	if ac.ready {
		return ac.transport
	}
	return nil
}

// setTransport is called when ac becomes ready (t is not nil) or leaves that state.
func (ac *addrConn) setTransport(t *transport) {
	ac.mu.Lock()
	ac.ready = t != nil
	ac.transport = t
	ac.mu.Unlock()
}

type roundRobin struct {
	subConns []*addrConn
	next     atomic.Uint32
}

func (p *roundRobin) Pick(string) (*addrConn, error) {
	if len(p.subConns) == 0 {
		return nil, errTransientFailure
	}
	n := p.next.Add(1)
	return p.subConns[int(n)%len(p.subConns)], nil
}
