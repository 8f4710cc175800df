// Package ok picks connections for RPCs.
package ok

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// The errors of Pick.
var (
	ErrNoSubConnAvailable = errors.New("no SubConn is available")
	ErrClientConnClosing  = errors.New("the client connection is closing")
)

// Picker picks a connection. It returns ErrNoSubConnAvailable if the RPC should
// wait for the next picker.
type Picker interface {
	Pick(method string) (conn string, err error)
}

// pickerGeneration stores a picker and a channel used to signal that a picker
// newer than this one is available.
type pickerGeneration struct {
	// picker is the picker produced by the balancer. May be nil.
	picker Picker
	// blockingCh is closed when the picker has been invalidated because there
	// is a new one available.
	blockingCh chan struct{}
}

// pickerWrapper is a wrapper of Picker. It blocks on certain pick actions and
// unblocks when there's a picker update. If it holds nil, it is closed.
type pickerWrapper struct {
	gen atomic.Pointer[pickerGeneration]
}

// updatePicker is called by UpdateState for all pickers. It unblocks all blocked
// picks. It must not be called concurrently with itself or close.
func (pw *pickerWrapper) updatePicker(p Picker) {
	old := pw.gen.Swap(&pickerGeneration{picker: p, blockingCh: make(chan struct{})})
	close(old.blockingCh)
}

// close makes picks fail.
func (pw *pickerWrapper) close() {
	old := pw.gen.Swap(nil)
	close(old.blockingCh)
}

func (pw *pickerWrapper) pick(ctx context.Context, failfast bool, method string) (string, error) {
	var ch chan struct{}
	for {
		gen := pw.gen.Load()
		if gen == nil {
			return "", ErrClientConnClosing
		}
		if gen.picker == nil {
			ch = gen.blockingCh
		}
		if ch == gen.blockingCh {
			// This could happen when either:
			// - there is no picker yet, or
			// - we have already called pick on the current picker.
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-ch:
			}
			continue
		}
		ch = gen.blockingCh

		conn, err := gen.picker.Pick(method)
		if err == nil {
			return conn, nil
		}
		if err == ErrNoSubConnAvailable || !failfast {
			continue
		}
		return "", err
	}
}

// ClientConn is safe for concurrent use.
type ClientConn struct {
	pw pickerWrapper

	mu     sync.Mutex // serializes the updates
	closed bool
}

// NewClientConn returns a connection that has no picker yet.
func NewClientConn() *ClientConn {
	cc := &ClientConn{}
	cc.pw.gen.Store(&pickerGeneration{blockingCh: make(chan struct{})})
	return cc
}

// UpdateState sets the picker.
func (cc *ClientConn) UpdateState(p Picker) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if !cc.closed {
		cc.pw.updatePicker(p)
	}
}

// Close makes all picks fail. It may be called more than once.
func (cc *ClientConn) Close() {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if !cc.closed {
		cc.closed = true
		cc.pw.close()
	}
}

// Pick returns the connection for an RPC. It waits for a picker that has one.
func (cc *ClientConn) Pick(ctx context.Context, failfast bool, method string) (string, error) {
	return cc.pw.pick(ctx, failfast, method)
}
