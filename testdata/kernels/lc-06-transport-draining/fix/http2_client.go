package transport

import (
	"context"
	"errors"
	"io"
	"sync"
)

var (
	// ErrConnClosing indicates that the transport is closing.
	ErrConnClosing = errors.New("transport is closing")
	// errStreamDrain indicates that the stream is rejected because the
	// connection is draining.
	errStreamDrain = errors.New("the connection is draining")
)

type transportState int

const (
	reachable transportState = iota
	closing
	draining
)

// GoAwayReason contains the reason for the GoAway frame received.
type GoAwayReason uint8

const (
	GoAwayInvalid GoAwayReason = iota
	GoAwayNoReason
	GoAwayTooManyPings
)

type frame struct {
	streamID  uint32
	goAway    bool
	reason    GoAwayReason
	payload   []byte
	endStream bool
}

type framer interface {
	ReadFrame() (*frame, error)
	WriteHeaders(streamID uint32, method string) error
	io.Closer
}

// Stream represents an RPC in the transport layer.
type Stream struct {
	id   uint32
	buf  chan []byte
	done chan struct{}
	err  error
}

// http2Client implements the ClientTransport interface with HTTP2.
type http2Client struct {
	framer framer

	// goAway is closed to notify the upper layer (i.e., addrConn.transportMonitor)
	// that the server sent GoAway on this transport.
	goAway chan struct{}

	onGoAway func(GoAwayReason)
	onClose  func()

	mu            sync.Mutex // guard the following variables
	state         transportState
	nextID        uint32
	activeStreams map[uint32]*Stream
	goAwayReason  GoAwayReason
}

func newHTTP2Client(fr framer, onGoAway func(GoAwayReason), onClose func()) *http2Client {
	t := &http2Client{
		framer:        fr,
		goAway:        make(chan struct{}),
		onGoAway:      onGoAway,
		onClose:       onClose,
		nextID:        1,
		activeStreams: make(map[uint32]*Stream),
	}
	go t.reader()
	return t
}

// NewStream creates a stream and registers it into the transport as "active"
// streams.
func (t *http2Client) NewStream(ctx context.Context, method string) (*Stream, error) {
	t.mu.Lock()
	switch t.state {
	case draining:
		t.mu.Unlock()
		return nil, errStreamDrain
	case closing:
		t.mu.Unlock()
		return nil, ErrConnClosing
	}
	s := &Stream{id: t.nextID, buf: make(chan []byte, 16), done: make(chan struct{})}
	t.nextID += 2
	t.activeStreams[s.id] = s
	t.mu.Unlock()
	if err := t.framer.WriteHeaders(s.id, method); err != nil {
		t.Close()
		return nil, ErrConnClosing
	}
	return s, nil
}

// Close kicks off the shutdown process of the transport. This should be called
// only once on a transport. Once it is called, the transport should not be
// accessed any more.
func (t *http2Client) Close() error {
	t.mu.Lock()
	// Make sure we only Close once.
	if t.state == closing {
		t.mu.Unlock()
		return nil
	}
	// Call t.onClose before setting the state to closing to prevent the client
	// from attempting to create new streams ASAP.
	t.onClose()
	t.state = closing
	streams := t.activeStreams
	t.activeStreams = nil
	t.mu.Unlock()
	err := t.framer.Close()
	// Notify all active streams.
	for _, s := range streams {
		s.err = ErrConnClosing
		close(s.done)
	}
	return err
}

// GracefulClose sets the state to draining, which prevents new streams from
// being created and causes the transport to be closed when the last active
// stream is closed.
func (t *http2Client) GracefulClose() {
	t.mu.Lock()
	// Make sure we move to draining only from active.
	if t.state == draining || t.state == closing {
		t.mu.Unlock()
		return
	}
	t.state = draining
	active := len(t.activeStreams)
	t.mu.Unlock()
	if active == 0 {
		t.Close()
	}
}

func (t *http2Client) handleGoAway(f *frame) {
	t.mu.Lock()
	if t.state != reachable {
		t.mu.Unlock()
		return
	}
	t.goAwayReason = f.reason
	close(t.goAway)
	// Notify the clientconn about the GOAWAY before we set the state to
	// draining, to allow the client to stop attempting to create streams
	// before disallowing new streams on this connection.
	t.onGoAway(t.goAwayReason)
	t.state = draining
	active := len(t.activeStreams)
	t.mu.Unlock()
	if active == 0 {
		t.Close()
	}
}

func (t *http2Client) handleData(f *frame) {
	t.mu.Lock()
	s := t.activeStreams[f.streamID]
	t.mu.Unlock()
	if s == nil {
		return
	}
	select {
	case s.buf <- f.payload:
	case <-s.done:
	}
	if f.endStream {
		t.closeStream(s, io.EOF)
	}
}

// closeStream removes the stream and closes the transport if it is draining
// and this was its last stream.
func (t *http2Client) closeStream(s *Stream, err error) {
	t.mu.Lock()
	if _, ok := t.activeStreams[s.id]; !ok {
		t.mu.Unlock()
		return
	}
	delete(t.activeStreams, s.id)
	last := t.state == draining && len(t.activeStreams) == 0
	t.mu.Unlock()
	s.err = err
	close(s.done)
	if last {
		t.Close()
	}
}

// reader runs as a separate goroutine in charge of reading data from network
// connection.
func (t *http2Client) reader() {
	for {
		f, err := t.framer.ReadFrame()
		if err != nil {
			t.Close()
			return
		}
		if f.goAway {
			t.handleGoAway(f)
			continue
		}
		t.handleData(f)
	}
}
