// Package ok multiplexes streams on a connection.
package ok

import (
	"sync"
	"sync/atomic"
)

type streamState = uint32

const (
	streamActive streamState = iota
	streamDone
)

// Stream is one call.
type Stream struct {
	id     uint32
	state  atomic.Uint32
	cancel func()
}

func (s *Stream) swapState(st streamState) streamState { return s.state.Swap(st) }

type controlBuffer struct {
	mu    sync.Mutex
	items []uint32
}

func (c *controlBuffer) put(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items = append(c.items, id)
}

type http2Server struct {
	controlBuf  controlBuffer
	streamsDone atomic.Int64

	mu            sync.Mutex
	activeStreams map[uint32]*Stream
}

func (t *http2Server) getStream(id uint32) (*Stream, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.activeStreams[id]
	return s, ok
}

func (t *http2Server) open(id uint32, cancel func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.activeStreams == nil {
		return false
	}
	t.activeStreams[id] = &Stream{id: id, cancel: cancel}
	return true
}

// handleRSTStream is called by the reader.
func (t *http2Server) handleRSTStream(id uint32) {
	if s, ok := t.getStream(id); ok {
		t.closeStream(s)
	}
}

// writeStatus is called by the handler.
func (t *http2Server) writeStatus(s *Stream) {
	t.closeStream(s)
}

func (t *http2Server) deleteStream(s *Stream) {
	t.mu.Lock()
	delete(t.activeStreams, s.id)
	t.mu.Unlock()
}

func (t *http2Server) closeStream(s *Stream) {
	// In case stream sending and receiving are invoked in separate
	// goroutines (e.g., bi-directional streaming), cancel needs to be
	// called to interrupt the potential blocking on other goroutines.
	s.cancel()
	if s.swapState(streamDone) == streamDone {
		// If the stream was already done, return.
		return
	}
	t.deleteStream(s)
	t.streamsDone.Add(1)
	t.controlBuf.put(s.id)
}

// close ends the connection.
func (t *http2Server) close() {
	t.mu.Lock()
	streams := t.activeStreams
	t.activeStreams = nil
	t.mu.Unlock()
	for _, s := range streams {
		s.cancel()
	}
}
