package transport

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync"
	"sync/atomic"
)

var errNoHeaders = errors.New("stream ended without headers")

const (
	streamActive uint32 = iota
	streamDone
)

// Stream is an RPC of a client.
type Stream struct {
	id    uint32
	ctx   context.Context
	ct    *http2Client
	state uint32 // atomic
	recv  chan []byte
	done  chan struct{} // closed at the end of the stream

	headerChan       chan struct{} // closed to indicate the end of header metadata.
	headerChanClosed uint32        // set when headerChan is closed. Used to avoid closing headerChan multiple times.

	// hdrMu protects the fields below, which do not change any more once
	// headerChan has been closed.
	hdrMu        sync.Mutex
	header       map[string]string
	recvCompress string
	noHeaders    bool
}

func (s *Stream) waitOnHeader() {
	select {
	case <-s.ctx.Done():
		// Close the stream to prevent headers/trailers from changing after
		// this function returns.
		s.ct.closeStream(s)
		// headerChan could possibly not be closed yet if closeStream raced
		// with operateHeaders; wait until it is closed explicitly here.
		<-s.headerChan
	case <-s.headerChan:
	}
}

// RecvCompress returns the compression algorithm applied to the inbound
// message. It is empty string if there is no compression applied.
func (s *Stream) RecvCompress() string {
	s.waitOnHeader()
	s.hdrMu.Lock()
	defer s.hdrMu.Unlock()
	return s.recvCompress
}

// Header returns the header metadata of the stream, or an error if the stream
// ended without.
func (s *Stream) Header() (map[string]string, error) {
	s.waitOnHeader()
	s.hdrMu.Lock()
	defer s.hdrMu.Unlock()
	if s.noHeaders {
		return nil, errNoHeaders
	}
	return maps.Clone(s.header), nil
}

// Recv returns the next message; messages that have arrived before the end of
// the stream are still delivered.
func (s *Stream) Recv(decompress func(name string, p []byte) ([]byte, error)) ([]byte, error) {
	var p []byte
	select {
	case p = <-s.recv:
	default:
		select {
		case p = <-s.recv:
		case <-s.done:
			// The reader adds messages before it closes the stream.
			select {
			case p = <-s.recv:
			default:
				return nil, io.EOF
			}
		}
	}
	if c := s.RecvCompress(); c != "" {
		return decompress(c, p)
	}
	return p, nil
}

type frame struct {
	streamID  uint32
	headers   map[string]string
	data      []byte
	endStream bool
}

type http2Client struct {
	frames <-chan frame

	mu            sync.Mutex
	nextID        uint32
	activeStreams map[uint32]*Stream
}

func newHTTP2Client(frames <-chan frame) *http2Client {
	t := &http2Client{frames: frames, activeStreams: make(map[uint32]*Stream)}
	go t.reader()
	return t
}

// NewStream starts an RPC.
func (t *http2Client) NewStream(ctx context.Context) *Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nextID += 2
	s := &Stream{
		id:         t.nextID,
		ctx:        ctx,
		ct:         t,
		recv:       make(chan []byte, 16),
		done:       make(chan struct{}),
		headerChan: make(chan struct{}),
	}
	t.activeStreams[s.id] = s
	return s
}

func (t *http2Client) getStream(id uint32) *Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.activeStreams[id]
}

// reader is the goroutine that reads from the connection.
func (t *http2Client) reader() {
	for f := range t.frames {
		s := t.getStream(f.streamID)
		if s == nil {
			continue
		}
		if f.headers != nil {
			t.operateHeaders(s, f.headers)
		} else {
			select {
			case s.recv <- f.data:
			case <-s.done:
			}
		}
		if f.endStream {
			t.closeStream(s)
		}
	}
}

func (t *http2Client) operateHeaders(s *Stream, fields map[string]string) {
	// If headerChan hasn't been closed yet
	if atomic.CompareAndSwapUint32(&s.headerChanClosed, 0, 1) {
		// HEADERS frame block carries a Response-Headers.
		mdata := make(map[string]string, len(fields))
		for k, v := range fields {
			if k != "grpc-encoding" {
				mdata[k] = v
			}
		}
		s.hdrMu.Lock()
		s.recvCompress = fields["grpc-encoding"]
		s.header = mdata
		s.hdrMu.Unlock()
		close(s.headerChan)
	}
}

func (t *http2Client) closeStream(s *Stream) {
	// Set stream status to done.
	if atomic.SwapUint32(&s.state, streamDone) == streamDone {
		// If it was already done, wait until the other caller is through.
		<-s.done
		return
	}
	t.mu.Lock()
	delete(t.activeStreams, s.id)
	t.mu.Unlock()

	// If headerChan isn't closed, then close it.
	if atomic.CompareAndSwapUint32(&s.headerChanClosed, 0, 1) {
		s.hdrMu.Lock()
		s.noHeaders = true
		s.hdrMu.Unlock()
		close(s.headerChan)
	}
	close(s.done)
}
