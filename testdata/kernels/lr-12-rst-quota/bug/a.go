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
	s, ok := t.getStream(id)
	if !ok {
		return
	}
	t.closeStream(s, false, nil)
}

// WriteStatus is called by the handler of the stream.
func (t *http2Server) WriteStatus(s *stream) {
	rst := s.getState() == streamActive
	t.closeStream(s, rst, &headerFrame{streamID: s.id, endStream: true})
}

func (t *http2Server) deleteStream(s *stream) {
	t.mu.Lock()
	delete(t.activeStreams, s.id)
	t.mu.Unlock()
}

func (t *http2Server) closeStream(s *stream, rst bool, hdr *headerFrame) {
	oldState := s.swapState(streamDone)
	s.cancel()
	t.deleteStream(s)

	cleanup := &cleanupStream{streamID: s.id, rst: rst}
	if hdr == nil {
		t.controlBuf.put(cleanup)
		return
	}
	if oldState == streamDone {
		return
	}
	hdr.cleanup = cleanup
	t.controlBuf.put(hdr)
}
