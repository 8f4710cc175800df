package ok

import (
	"errors"
	"net"
	"sync"
)

var ErrConnClosing = errors.New("transport is closing")

type transportState int

const (
	reachable transportState = iota
	unreachable
	closing
	draining
)

type Stream struct {
	id  uint32
	buf chan error
}

func (s *Stream) write(err error) {
	select {
	case s.buf <- err:
	default:
	}
}

// http2Client implements the ClientTransport interface with HTTP2.
// The state moves forward only: reachable, draining, unreachable, closing;
// nothing leaves closing.
type http2Client struct {
	conn         net.Conn
	shutdownChan chan struct{} // closed once, by Close
	errorChan    chan struct{} // closed once, when the state becomes unreachable

	mu            sync.Mutex
	state         transportState
	nextID        uint32
	activeStreams map[uint32]*Stream
}

func newHTTP2Client(conn net.Conn) *http2Client {
	t := &http2Client{
		conn:          conn,
		shutdownChan:  make(chan struct{}),
		errorChan:     make(chan struct{}),
		nextID:        1,
		activeStreams: make(map[uint32]*Stream),
	}
	go t.reader()
	return t
}

func (t *http2Client) NewStream() (*Stream, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != reachable {
		return nil, ErrConnClosing
	}
	s := &Stream{id: t.nextID, buf: make(chan error, 1)}
	t.nextID += 2
	t.activeStreams[s.id] = s
	return s, nil
}

// CloseStream removes the stream; the last one of a draining transport closes it.
func (t *http2Client) CloseStream(s *Stream) {
	t.mu.Lock()
	delete(t.activeStreams, s.id)
	if t.state == draining && len(t.activeStreams) == 0 {
		t.mu.Unlock()
		_ = t.Close()
		return
	}
	t.mu.Unlock()
}

// Close kicks off the shutdown process of the transport. It may be called
// from several places; only the first call does something.
func (t *http2Client) Close() (err error) {
	t.mu.Lock()
	if t.state == closing {
		t.mu.Unlock()
		return errors.New("transport: Close() was already called")
	}
	t.state = closing
	streams := t.activeStreams
	t.activeStreams = nil
	t.mu.Unlock()
	close(t.shutdownChan)
	err = t.conn.Close()
	// Notify all active streams.
	for _, s := range streams {
		s.write(ErrConnClosing)
	}
	return err
}

func (t *http2Client) GracefulClose() error {
	t.mu.Lock()
	switch t.state {
	case unreachable:
		// The server may close the connection concurrently. t is not available for
		// any streams. Close it now.
		t.mu.Unlock()
		return t.Close()
	case closing, draining:
		t.mu.Unlock()
		return nil
	}
	t.state = draining
	active := len(t.activeStreams)
	t.mu.Unlock()
	if active == 0 {
		return t.Close()
	}
	return nil
}

func (t *http2Client) reader() {
	buf := make([]byte, 16384)
	for {
		if _, err := t.conn.Read(buf); err != nil {
			t.notifyError(err)
			return
		}
	}
}

func (t *http2Client) notifyError(err error) {
	t.mu.Lock()
	// make sure t.errorChan is closed only once.
	if t.state == draining {
		t.mu.Unlock()
		_ = t.Close()
		return
	}
	if t.state == reachable {
		t.state = unreachable
		close(t.errorChan)
	}
	t.mu.Unlock()
}
