package transport

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClientConnClosing indicates that the operation is illegal because
// the ClientConn is closing.
var ErrClientConnClosing = errors.New("grpc: the client connection is closing")

type connectivityState int

const (
	idle connectivityState = iota
	connecting
	ready
	transientFailure
	shutdown
)

// event represents a one-time event that may occur in the future.
type event struct {
	c chan struct{}
	o sync.Once
}

func newEvent() *event                 { return &event{c: make(chan struct{})} }
func (e *event) Fire()                 { e.o.Do(func() { close(e.c) }) }
func (e *event) Done() <-chan struct{} { return e.c }
func (e *event) HasFired() bool {
	select {
	case <-e.c:
		return true
	default:
		return false
	}
}

// addrConn is a network connection to a given address.
type addrConn struct {
	dial    func() (framer, error)
	backoff time.Duration

	mu        sync.Mutex
	state     connectivityState
	changed   chan struct{} // closed and replaced whenever state changes
	transport *http2Client
	keepalive time.Duration
}

func newAddrConn(dial func() (framer, error)) *addrConn {
	return &addrConn{dial: dial, backoff: time.Second, changed: make(chan struct{}), keepalive: 10 * time.Second}
}

// connect starts to creating transport and also starts the transport monitor
// goroutine for this ac.
func (ac *addrConn) connect() {
	ac.mu.Lock()
	if ac.state != idle {
		ac.mu.Unlock()
		return
	}
	ac.updateConnectivityState(connecting)
	ac.mu.Unlock()
	go ac.resetTransport()
}

// ac.mu must be held by the caller.
func (ac *addrConn) updateConnectivityState(s connectivityState) {
	if ac.state == s {
		return
	}
	ac.state = s
	close(ac.changed)
	ac.changed = make(chan struct{})
}

// adjustParams updates parameters used to create transports upon
// receiving a GoAway. ac.mu must be held by the caller.
func (ac *addrConn) adjustParams(r GoAwayReason) {
	if r == GoAwayTooManyPings {
		ac.keepalive *= 2
	}
}

func (ac *addrConn) resetTransport() {
	for {
		ac.mu.Lock()
		if ac.state == shutdown {
			ac.mu.Unlock()
			return
		}
		ac.updateConnectivityState(connecting)
		ac.transport = nil
		ac.mu.Unlock()

		newTr, reconnect, err := ac.createTransport()
		if err != nil {
			ac.mu.Lock()
			if ac.state == shutdown {
				ac.mu.Unlock()
				return
			}
			ac.updateConnectivityState(transientFailure)
			ac.mu.Unlock()
			time.Sleep(ac.backoff)
			continue
		}

		ac.mu.Lock()
		if ac.state == shutdown {
			ac.mu.Unlock()
			newTr.Close()
			return
		}
		if !reconnect.HasFired() {
			ac.transport = newTr
			ac.updateConnectivityState(ready)
		}
		ac.mu.Unlock()

		// Block until the created transport is down. And when this happens,
		// we restart from the top of the addr list.
		<-reconnect.Done()

		// Need to reconnect after a READY, the addrConn enters
		// TRANSIENT_FAILURE.
		//
		// This will set addrConn to TRANSIENT_FAILURE for a very short period
		// of time, and turns CONNECTING. It seems reasonable to skip this, but
		// READY-CONNECTING is not a valid transition.
		ac.mu.Lock()
		if ac.state == shutdown {
			ac.mu.Unlock()
			return
		}
		ac.updateConnectivityState(transientFailure)
		ac.mu.Unlock()
	}
}

// createTransport creates a connection to the address.
func (ac *addrConn) createTransport() (*http2Client, *event, error) {
	reconnect := newEvent()

	onGoAway := func(r GoAwayReason) {
		reconnect.Fire()
		ac.mu.Lock()
		ac.adjustParams(r)
		ac.mu.Unlock()
	}

	onClose := func() {
		reconnect.Fire()
	}

	fr, err := ac.dial()
	if err != nil {
		return nil, nil, err
	}
	return newHTTP2Client(fr, onGoAway, onClose), reconnect, nil
}

// waitReady returns the transport once the addrConn is READY.
func (ac *addrConn) waitReady(ctx context.Context) (*http2Client, error) {
	for {
		ac.mu.Lock()
		state, t, changed := ac.state, ac.transport, ac.changed
		ac.mu.Unlock()
		switch state {
		case ready:
			return t, nil
		case shutdown:
			return nil, ErrClientConnClosing
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tearDown starts to tear down the addrConn.
func (ac *addrConn) tearDown() {
	ac.mu.Lock()
	if ac.state == shutdown {
		ac.mu.Unlock()
		return
	}
	curTr := ac.transport
	ac.transport = nil
	ac.updateConnectivityState(shutdown)
	ac.mu.Unlock()
	if curTr != nil {
		curTr.GracefulClose()
	}
}

// newClientStream creates a stream for an RPC. An RPC that was refused by its
// transport is transparently retried once.
func newClientStream(ctx context.Context, ac *addrConn, method string) (*Stream, error) {
	firstAttempt := true
	for {
		t, err := ac.waitReady(ctx)
		if err != nil {
			return nil, err
		}
		s, err := t.NewStream(ctx, method)
		if err == nil {
			return s, nil
		}
		if !firstAttempt {
			return nil, err
		}
		// First attempt, stream unprocessed: transparently retry.
		firstAttempt = false
	}
}
