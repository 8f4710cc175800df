package a

import (
	"errors"
	"net"
	"sync"
)

type transportState int

const (
	reachable transportState = iota
	unreachable
	closing
)

var ErrConnClosing = errors.New("transport: the connection is closing")

type recvMsg struct {
	data []byte
	err  error
}

type Stream struct {
	id  uint32
	buf chan recvMsg
}

func (s *Stream) write(m recvMsg) {
	select {
	case s.buf <- m:
	default:
	}
}

// http2Client implements the ClientTransport interface with HTTP2.
type http2Client struct {
	conn net.Conn

	// shutdownChan is closed when Close is called.
	shutdownChan chan struct{}
	// errorChan is closed to notify the I/O error to the caller.
	errorChan chan struct{}

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

// NewStream creates a stream and registers it into the transport.
func (t *http2Client) NewStream() (*Stream, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state != reachable {
		return nil, ErrConnClosing
	}
	s := &Stream{id: t.nextID, buf: make(chan recvMsg, 8)}
	t.nextID += 2
	t.activeStreams[s.id] = s
	return s, nil
}

// CloseStream clears the footprint of a stream.
func (t *http2Client) CloseStream(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.activeStreams, s.id)
}

// Close kicks off the shutdown process of the transport.
func (t *http2Client) Close() (err error) {
	t.mu.Lock()
	t.state = closing
	t.mu.Unlock()
	close(t.shutdownChan)
	err = t.conn.Close()
	t.mu.Lock()
	streams := t.activeStreams
	t.activeStreams = nil
	t.mu.Unlock()
	for _, s := range streams {
		s.write(recvMsg{err: ErrConnClosing})
	}
	return
}

// Error returns a channel that is closed when the transport breaks.
func (t *http2Client) Error() <-chan struct{} { return t.errorChan }

func (t *http2Client) reader() {
	buf := make([]byte, 4096)
	for {
		n, err := t.conn.Read(buf)
		if err != nil {
			t.notifyError()
			return
		}
		t.mu.Lock()
		for _, s := range t.activeStreams {
			s.write(recvMsg{data: append([]byte(nil), buf[:n]...)})
		}
		t.mu.Unlock()
	}
}

func (t *http2Client) notifyError() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == reachable {
		t.state = unreachable
		close(t.errorChan)
	}
}
