// Package transport serves many streams on one connection.
package transport

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

type transportState int

const (
	reachable transportState = iota
	draining
	closing
)

type (
	resetStream struct{ streamID uint32 }
	goAway      struct{}
)

// Stream is an RPC on a connection.
type Stream struct {
	id     uint32
	cancel chan struct{}
}

// http2Server is the server side of a connection.
type http2Server struct {
	conn         io.ReadWriteCloser
	controlBuf   chan any
	shutdownChan chan struct{} // closed by Close
	writableChan chan int      // holds a token while nobody writes to conn

	mu            sync.Mutex // guards the following
	state         transportState
	activeStreams map[uint32]*Stream
	maxStreamID   uint32
}

func newHTTP2Server(conn io.ReadWriteCloser) *http2Server {
	t := &http2Server{
		conn:          conn,
		controlBuf:    make(chan any, 100),
		shutdownChan:  make(chan struct{}),
		writableChan:  make(chan int, 1),
		activeStreams: make(map[uint32]*Stream),
	}
	t.writableChan <- 0
	go t.controller()
	return t
}

// HandleStreams reads frames and calls handle, in a new goroutine, for each
// stream. It returns when the connection fails.
func (t *http2Server) HandleStreams(handle func(*Stream)) {
	defer t.Close()
	for {
		var kind string
		var n uint32
		if _, err := fmt.Fscan(t.conn, &kind, &n); err != nil {
			return
		}
		if kind == "headers" {
			t.operateHeaders(n, handle)
		}
	}
}

func (t *http2Server) operateHeaders(id uint32, handle func(*Stream)) {
	t.mu.Lock()
	if t.state != reachable || id <= t.maxStreamID {
		t.mu.Unlock()
		t.put(&resetStream{id})
		return
	}
	s := &Stream{id: id, cancel: make(chan struct{})}
	t.maxStreamID = id
	t.activeStreams[id] = s
	t.mu.Unlock()
	go handle(s)
}

// WriteStatus ends a stream.
func (t *http2Server) WriteStatus(s *Stream, code int) error {
	defer t.closeStream(s)
	select {
	case <-t.writableChan:
	case <-t.shutdownChan:
		return errors.New("transport: closing")
	}
	_, err := fmt.Fprintln(t.conn, "status", s.id, code)
	t.writableChan <- 0
	return err
}

// closeStream clears the footprint of a stream when it is not needed any more.
func (t *http2Server) closeStream(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.activeStreams, s.id)
	if t.state == draining && len(t.activeStreams) == 0 {
		go t.Close()
	}
}

// Drain makes the client open no more streams here. The connection closes after
// the last stream.
func (t *http2Server) Drain() {
	t.put(&goAway{})
}

func (t *http2Server) put(i any) {
	select {
	case t.controlBuf <- i:
	case <-t.shutdownChan:
	}
}

// controller takes charge of sending control frames.
func (t *http2Server) controller() {
	for {
		select {
		case i := <-t.controlBuf:
			select {
			case <-t.writableChan:
				switch i := i.(type) {
				case *resetStream:
					fmt.Fprintln(t.conn, "rst_stream", i.streamID)
				case *goAway:
					t.mu.Lock()
					if t.state == closing {
						t.mu.Unlock()
						// The transport is closing.
						return
					}
					sid := t.maxStreamID
					t.state = draining
					t.mu.Unlock()
					fmt.Fprintln(t.conn, "goaway", sid)
				}
				t.writableChan <- 0
			case <-t.shutdownChan:
				return
			}
		case <-t.shutdownChan:
			return
		}
	}
}

// Close closes the connection and cancels its streams.
func (t *http2Server) Close() error {
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
	err := t.conn.Close()
	for _, s := range streams {
		close(s.cancel)
	}
	return err
}
