package grpc

import (
	"bufio"
	"context"
	"net"
	"strings"
	"sync"
	"time"
)

// event represents a one-time event that may occur in the future.
type event struct {
	c chan struct{}
	o sync.Once
}

func newEvent() *event { return &event{c: make(chan struct{})} }

// Fire causes e to complete. It is safe to call multiple times.
func (e *event) Fire() { e.o.Do(func() { close(e.c) }) }

// HasFired returns true if Fire has been called.
func (e *event) HasFired() bool {
	select {
	case <-e.c:
		return true
	default:
		return false
	}
}

type transportState int

const (
	reachable transportState = iota
	closing
	draining
)

// http2Client implements the ClientTransport interface with HTTP2.
type http2Client struct {
	conn     net.Conn
	onGoAway func()
	onClose  func()

	mu            sync.Mutex // guard the following variables
	state         transportState
	activeStreams int
}

func newHTTP2Client(ctx context.Context, addr string, onGoAway, onClose func()) (*http2Client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	t := &http2Client{conn: conn, onGoAway: onGoAway, onClose: onClose}
	go t.reader()
	return t, nil
}

// NewStream counts a new stream on the transport.
func (t *http2Client) NewStream() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != reachable {
		return false
	}
	t.activeStreams++
	return true
}

// CloseStream ends a stream; the last one of a draining transport closes it.
func (t *http2Client) CloseStream() {
	t.mu.Lock()
	t.activeStreams--
	done := t.state == draining && t.activeStreams == 0
	t.mu.Unlock()
	if done {
		t.Close()
	}
}

// reader handles the frames that the server sends.
func (t *http2Client) reader() {
	br := bufio.NewReader(t.conn)
	for {
		frame, err := br.ReadString('\n')
		if err != nil {
			t.Close()
			return
		}
		if strings.HasPrefix(frame, "GOAWAY") {
			t.handleGoAway()
		}
	}
}

func (t *http2Client) handleGoAway() {
	t.mu.Lock()
	if t.state != reachable {
		t.mu.Unlock()
		return
	}
	// Notify the clientconn about the GOAWAY before we set the state to
	// draining, to allow the client to stop attempting to create streams
	// before disallowing new streams on this connection.
	t.onGoAway()
	t.state = draining
	active := t.activeStreams
	t.mu.Unlock()
	if active == 0 {
		t.Close()
	}
}

// Close kicks off the shutdown process of the transport.
func (t *http2Client) Close() {
	t.mu.Lock()
	// Make sure we only Close once.
	if t.state == closing {
		t.mu.Unlock()
		return
	}
	// Call t.onClose before setting the state to closing to prevent the client
	// from attempting to create new streams ASAP.
	t.onClose()
	t.state = closing
	t.mu.Unlock()
	t.conn.Close()
}

func (t *http2Client) keepalive(ctx context.Context) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.conn.Write([]byte("PING\n"))
		case <-ctx.Done():
			return
		}
	}
}
