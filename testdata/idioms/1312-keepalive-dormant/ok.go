package transport

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

type transportState int

const (
	reachable transportState = iota
	closing
)

var ErrConnClosing = errors.New("transport is closing")

type keepaliveParams struct {
	Time                time.Duration
	Timeout             time.Duration
	PermitWithoutStream bool
}

// http2Client implements the ClientTransport interface with HTTP2.
type http2Client struct {
	lastRead int64 // Keep this field 64-bit aligned. Accessed atomically.

	ctx           context.Context
	cancel        context.CancelFunc
	kp            keepaliveParams
	keepaliveDone chan struct{}
	sendPing      func()
	readFrame     func() (id uint32, endStream bool, err error)

	mu            sync.Mutex // guard the following variables
	state         transportState
	nextID        uint32
	activeStreams map[uint32]struct{}
	// A condition variable used to signal when the keepalive goroutine should
	// go dormant. The condition for dormancy is based on the number of active
	// streams and the `PermitWithoutStream` keepalive client parameter. And
	// since the number of active streams is guarded by the above mutex, we use
	// the same for this condition variable as well.
	kpDormancyCond *sync.Cond
	// A boolean to track whether the keepalive goroutine is dormant or not.
	// This is checked before attempting to signal the above condition
	// variable.
	kpDormant bool
}

func newHTTP2Client(kp keepaliveParams, ping func(), read func() (uint32, bool, error)) *http2Client {
	ctx, cancel := context.WithCancel(context.Background())
	t := &http2Client{
		ctx:           ctx,
		cancel:        cancel,
		kp:            kp,
		keepaliveDone: make(chan struct{}),
		sendPing:      ping,
		readFrame:     read,
		nextID:        1,
		activeStreams: make(map[uint32]struct{}),
	}
	t.kpDormancyCond = sync.NewCond(&t.mu)
	go t.keepalive()
	go t.reader()
	return t
}

// NewStream creates a stream and registers it into the transport.
func (t *http2Client) NewStream() (uint32, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == closing || t.activeStreams == nil {
		return 0, ErrConnClosing
	}
	id := t.nextID
	t.nextID += 2
	t.activeStreams[id] = struct{}{}
	// If the keepalive goroutine has gone dormant, wake it up.
	if t.kpDormant {
		t.kpDormancyCond.Signal()
	}
	return id, nil
}

func (t *http2Client) closeStream(id uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.activeStreams != nil {
		delete(t.activeStreams, id)
	}
}

// Close kicks off the shutdown process of the transport.
func (t *http2Client) Close(err error) {
	t.mu.Lock()
	// Make sure we only close once.
	if t.state == closing {
		t.mu.Unlock()
		return
	}
	t.state = closing
	t.activeStreams = nil
	if t.kpDormant {
		// If the keepalive goroutine is blocked on this condition variable, we
		// should unblock it so that the goroutine eventually exits.
		t.kpDormancyCond.Signal()
	}
	t.mu.Unlock()
	t.cancel()
}

func (t *http2Client) reader() {
	for {
		id, end, err := t.readFrame()
		atomic.StoreInt64(&t.lastRead, time.Now().UnixNano())
		if err != nil {
			t.Close(err)
			return
		}
		if end {
			t.closeStream(id)
		}
	}
}

// keepalive running in a separate goroutine makes sure the connection is alive by sending pings.
func (t *http2Client) keepalive() {
	var err error
	defer func() {
		close(t.keepaliveDone)
		if err != nil {
			t.Close(err)
		}
	}()
	// True iff a ping has been sent, and no data has been received since then.
	outstandingPing := false
	// Amount of time remaining before which we should receive an ACK for the
	// last sent ping.
	timeoutLeft := time.Duration(0)
	// Records the last value of t.lastRead before we go block on the timer.
	// This is required to check for read activity since then.
	prevNano := time.Now().UnixNano()
	timer := time.NewTimer(t.kp.Time)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			lastRead := atomic.LoadInt64(&t.lastRead)
			if lastRead > prevNano {
				// There has been read activity since the last time we were here.
				outstandingPing = false
				// Next timer should fire at kp.Time seconds from lastRead time.
				timer.Reset(time.Duration(lastRead) + t.kp.Time - time.Duration(time.Now().UnixNano()))
				prevNano = lastRead
				continue
			}
			if outstandingPing && timeoutLeft <= 0 {
				err = errors.New("keepalive ping failed to receive ACK within timeout")
				return
			}
			t.mu.Lock()
			if t.state == closing {
				// If the transport is closing, we should exit from the
				// keepalive goroutine here. If not, we could have a race
				// between the call to Signal() from Close() and the call to
				// Wait() here, whereby the keepalive goroutine ends up
				// blocking on the condition variable which will never be
				// signalled again.
				t.mu.Unlock()
				return
			}
			if len(t.activeStreams) < 1 && !t.kp.PermitWithoutStream {
				outstandingPing = false
				t.kpDormant = true
				t.kpDormancyCond.Wait()
			}
			t.kpDormant = false
			t.mu.Unlock()

			// We get here either because we were dormant and a new stream was
			// created which unblocked the Wait() call, or because the
			// keepalive timer expired. In both cases, we need to send a ping.
			if !outstandingPing {
				t.sendPing()
				timeoutLeft = t.kp.Timeout
				outstandingPing = true
			}
			sleepDuration := min(t.kp.Time, timeoutLeft)
			timeoutLeft -= sleepDuration
			timer.Reset(sleepDuration)
		case <-t.ctx.Done():
			return
		}
	}
}
