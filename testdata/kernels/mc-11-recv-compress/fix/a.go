package a

import (
	"context"
	"errors"
	"io"
	"sync"
)

var errNoDecompressor = errors.New("compressed flag set but no compressor installed")

type message struct {
	compressed bool
	data       []byte
}

// Stream represents an RPC in the transport layer.
type Stream struct {
	id         uint32
	ctx        context.Context
	headerChan chan struct{} // closed to indicate the end of header metadata

	mu           sync.Mutex
	headerDone   bool
	recvCompress string
	done         bool
	err          error
	buf          []message
	wake         chan struct{}
}

// NewStream returns a stream of the RPC.
func NewStream(ctx context.Context, id uint32) *Stream {
	return &Stream{ctx: ctx, id: id, headerChan: make(chan struct{}), wake: make(chan struct{}, 1)}
}

func (s *Stream) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// operateHeaders is called by the transport's reader for a HEADERS frame.
func (s *Stream) operateHeaders(encoding string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done || s.headerDone {
		return
	}
	s.recvCompress = encoding
	s.headerDone = true
	close(s.headerChan)
}

// handleData is called by the transport's reader for a DATA frame.
func (s *Stream) handleData(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	s.buf = append(s.buf, m)
	s.notify()
}

// closeStream ends the stream; nothing is taken in from then on.
func (s *Stream) closeStream(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	s.done, s.err = true, err
	if !s.headerDone {
		s.headerDone = true
		close(s.headerChan)
	}
	s.notify()
}

func (s *Stream) waitOnHeader() {
	select {
	case <-s.ctx.Done():
		// Close the stream to prevent headers/trailers from changing after
		// this function returns.
		s.closeStream(s.ctx.Err())
	case <-s.headerChan:
	}
}

// RecvCompress returns the compression algorithm applied to the inbound
// message. It is empty string if there is no compression applied.
func (s *Stream) RecvCompress() string {
	s.waitOnHeader()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recvCompress
}

// Read returns the next message; the buffer goes before an error.
func (s *Stream) Read() (message, error) {
	for {
		s.mu.Lock()
		if len(s.buf) > 0 {
			m := s.buf[0]
			s.buf = s.buf[1:]
			s.mu.Unlock()
			return m, nil
		}
		if s.done {
			defer s.mu.Unlock()
			return message{}, s.err
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-s.ctx.Done():
			s.closeStream(s.ctx.Err())
		}
	}
}

// clientStream decodes the messages of a stream; one goroutine receives.
type clientStream struct {
	s         *Stream
	decompSet bool
	decomp    func([]byte) ([]byte, error)
	encodings map[string]func([]byte) ([]byte, error)
}

// RecvMsg receives the next message.
func (a *clientStream) RecvMsg() ([]byte, error) {
	if !a.decompSet {
		if ct := a.s.RecvCompress(); ct != "" {
			a.decomp = a.encodings[ct]
		}
		// Only initialize this state once per stream.
		a.decompSet = true
	}
	m, err := a.s.Read()
	if err != nil {
		return nil, err
	}
	if !m.compressed {
		return m.data, nil
	}
	if a.decomp == nil {
		return nil, errNoDecompressor
	}
	return a.decomp(m.data)
}

// finish ends the RPC from the user's side.
func (a *clientStream) finish() { a.s.closeStream(io.EOF) }
