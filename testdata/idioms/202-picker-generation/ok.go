// Package ok chooses a connection for each call.
package ok

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errClosing = errors.New("the client connection is closing")
	// ErrNoSubConnAvailable tells the caller to wait for the next picker.
	ErrNoSubConnAvailable = errors.New("no SubConn is available")
)

// Transport is a live connection.
type Transport interface {
	NewStream(ctx context.Context) error
}

// SubConn is a connection that may be down at any time.
type SubConn struct {
	mu        sync.Mutex
	transport Transport
}

// SetTransport changes the transport; nil means not ready.
func (s *SubConn) SetTransport(t Transport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.transport = t
}

func (s *SubConn) getReadyTransport() Transport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transport
}

// Picker picks a SubConn.
type Picker interface {
	Pick() (*SubConn, error)
}

type pickerGeneration struct {
	// picker is the picker produced by the LB policy. May be nil if a picker
	// has never been produced.
	picker Picker
	// blockingCh is closed when the picker has been invalidated because there
	// is a new one available.
	blockingCh chan struct{}
}

// pickerWrapper is a wrapper of balancer.Picker. It blocks on certain pick
// actions and unblocks when there's a picker update.
type pickerWrapper struct {
	pickerGen atomic.Pointer[pickerGeneration]
}

func newPickerWrapper() *pickerWrapper {
	pw := &pickerWrapper{}
	pw.pickerGen.Store(&pickerGeneration{blockingCh: make(chan struct{})})
	return pw
}

// updatePicker is called by UpdateState calls from the LB policy.
func (pw *pickerWrapper) updatePicker(p Picker) {
	old := pw.pickerGen.Swap(&pickerGeneration{
		picker:     p,
		blockingCh: make(chan struct{}),
	})
	close(old.blockingCh)
}

func (pw *pickerWrapper) pick(ctx context.Context) (Transport, error) {
	var ch chan struct{}
	for {
		pg := pw.pickerGen.Load()
		if pg == nil {
			return nil, errClosing
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
		sc, err := pg.picker.Pick()
		if err == ErrNoSubConnAvailable {
			continue
		}
		if err != nil {
			return nil, err
		}
		if t := sc.getReadyTransport(); t != nil {
			return t, nil
		}
		// If ok == false, ac.state is not READY. A valid picker always returns
		// READY subConn. This means the state of ac just changed, and picker
		// will be updated shortly. continue back to the beginning of the for
		// loop to repick.
	}
}

// invoke makes one call.
func (pw *pickerWrapper) invoke(ctx context.Context) error {
	t, err := pw.pick(ctx)
	if err != nil {
		return err
	}
	return t.NewStream(ctx)
}

// close is called once, after the last update.
func (pw *pickerWrapper) close() {
	old := pw.pickerGen.Swap(nil)
	close(old.blockingCh)
}
