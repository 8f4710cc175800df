package lr12

import (
	"context"
	"sync"
	"sync/atomic"
)

const (
	streamActive uint32 = iota
	streamReadDone
	streamDone
)

type stream struct {
	id     uint32
	state  uint32
	ctx    context.Context
	cancel context.CancelFunc
}

func (s *stream) swapState(st uint32) uint32 { return atomic.SwapUint32(&s.state, st) }
func (s *stream) getState() uint32           { return atomic.LoadUint32(&s.state) }

type cleanupStream struct {
	streamID uint32
	rst      bool
}

type headerFrame struct {
	streamID  uint32
	endStream bool
	cleanup   *cleanupStream
}

type dataFrame struct {
	streamID uint32
	size     int
}

type controlBuffer struct {
	mu    sync.Mutex
	items []any
	wake  chan struct{}
}

func (c *controlBuffer) put(it any) {
	c.mu.Lock()
	c.items = append(c.items, it)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *controlBuffer) get() any {
	for {
		c.mu.Lock()
		if len(c.items) > 0 {
			it := c.items[0]
			c.items = c.items[1:]
			c.mu.Unlock()
			return it
		}
		c.mu.Unlock()
		<-c.wake
	}
}

type outStream struct {
	quota   int
	pending []any
}

// http2Server owns the streams of one connection.
type http2Server struct {
	controlBuf *controlBuffer

	mu            sync.Mutex
	activeStreams map[uint32]*stream
}

func newHTTP2Server() *http2Server {
	t := &http2Server{
		controlBuf:    &controlBuffer{wake: make(chan struct{}, 1)},
		activeStreams: make(map[uint32]*stream),
	}
	go t.loopyWriter()
	return t
}

func (t *http2Server) loopyWriter() {
	estd := make(map[uint32]*outStream)
	for {
		switch it := t.controlBuf.get().(type) {
		case *stream:
			estd[it.id] = &outStream{quota: 65535}
		case *dataFrame:
			if o := estd[it.streamID]; o != nil {
				if o.quota -= it.size; o.quota < 0 {
					o.pending = append(o.pending, it)
				}
			}
		case *headerFrame:
			o := estd[it.streamID]
			if o != nil && o.quota < 0 {
				o.pending = append(o.pending, it)
			} else if it.cleanup != nil {
				delete(estd, it.cleanup.streamID)
			}
		case *cleanupStream:
			delete(estd, it.streamID)
		}
	}
}

func (t *http2Server) operateHeaders(id uint32) *stream {
	s := &stream{id: id}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	t.mu.Lock()
	t.activeStreams[id] = s
	t.mu.Unlock()
	t.controlBuf.put(s)
	return s
}

func (t *http2Server) getStream(id uint32) (*stream, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.activeStreams[id]
	return s, ok
}

// handleRSTStream is called by the reader of the connection.
func (t *http2Server) handleRSTStream(id uint32) {
	// If the stream is still active, then do a regular close.
	if s, ok := t.getStream(id); ok {
		t.closeStream(s, false)
		return
	}
	// The writer may still hold an outStream that waits for quota.
	t.controlBuf.put(&cleanupStream{streamID: id})
}

// WriteStatus is called by the handler of the stream.
func (t *http2Server) WriteStatus(s *stream) {
	rst := s.getState() == streamActive
	t.finishStream(s, rst, &headerFrame{streamID: s.id, endStream: true})
}

func (t *http2Server) deleteStream(s *stream) (oldState uint32) {
	oldState = s.swapState(streamDone)
	if oldState == streamDone {
		return oldState
	}
	s.cancel()
	t.mu.Lock()
	delete(t.activeStreams, s.id)
	t.mu.Unlock()
	return oldState
}

// finishStream closes the stream and puts the trailer into the control buffer.
func (t *http2Server) finishStream(s *stream, rst bool, hdr *headerFrame) {
	if t.deleteStream(s) == streamDone {
		return
	}
	hdr.cleanup = &cleanupStream{streamID: s.id, rst: rst}
	t.controlBuf.put(hdr)
}

// closeStream clears the footprint of a stream that is not needed any more.
func (t *http2Server) closeStream(s *stream, rst bool) {
	t.deleteStream(s)
	t.controlBuf.put(&cleanupStream{streamID: s.id, rst: rst})
}
