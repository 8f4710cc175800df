// Package transport is the client side of a multiplexed connection.
package transport

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

var (
	ErrConnClosing  = errors.New("transport is closing")
	errStreamDrain  = errors.New("stream terminated by server draining")
	errQuotaReached = errors.New("stream quota reached")
)

type transportState int

const (
	reachable transportState = iota
	closing
)

// inFlow deals with inbound flow control of one stream.
type inFlow struct {
	mu          sync.Mutex
	limit       uint32
	pendingData uint32
}

func (f *inFlow) newLimit(n uint32) {
	f.mu.Lock()
	f.limit = n
	f.mu.Unlock()
}

func (f *inFlow) onData(n uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pendingData += n
	if f.pendingData > f.limit {
		return errors.New("received data exceeds the limit of the window")
	}
	return nil
}

type Stream struct {
	id   uint32
	fc   *inFlow
	done chan struct{}
	once sync.Once
}

func (s *Stream) finish() { s.once.Do(func() { close(s.done) }) }

type frame interface{ writeTo(t *http2Client) error }

type controlBuffer struct {
	mu   sync.Mutex
	cond *sync.Cond
	list []frame
	err  error
}

func newControlBuffer() *controlBuffer {
	c := &controlBuffer{}
	c.cond = sync.NewCond(&c.mu)
	return c
}

// executeAndPut adds the item if f returns true.
func (c *controlBuffer) executeAndPut(f func() bool, it frame) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false, c.err
	}
	if !f() {
		return false, nil
	}
	c.list = append(c.list, it)
	c.cond.Signal()
	return true, nil
}

func (c *controlBuffer) get() (frame, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.list) == 0 && c.err == nil {
		c.cond.Wait()
	}
	if c.err != nil {
		return nil, c.err
	}
	h := c.list[0]
	c.list = c.list[1:]
	return h, nil
}

func (c *controlBuffer) finish() {
	c.mu.Lock()
	c.err = ErrConnClosing
	for _, it := range c.list {
		if hdr, ok := it.(*headerFrame); ok {
			hdr.onOrphaned()
		}
	}
	c.list = nil
	c.cond.Broadcast()
	c.mu.Unlock()
}

type headerFrame struct {
	streamID   uint32
	hf         string
	initStream func(uint32) error
	onOrphaned func()
}

func (h *headerFrame) writeTo(t *http2Client) error {
	if err := h.initStream(h.streamID); err != nil {
		return nil
	}
	_, err := io.WriteString(t.conn, h.hf)
	return err
}

type outgoingSettings struct{ initialWindowSize uint32 }

func (o *outgoingSettings) writeTo(t *http2Client) error {
	return binary.Write(t.conn, binary.BigEndian, o.initialWindowSize)
}

// http2Client implements the ClientTransport interface with HTTP2.
type http2Client struct {
	conn       io.WriteCloser
	controlBuf *controlBuffer

	// guarded by the lock of controlBuf
	initialWindowSize uint32
	streamQuota       int64
	nextID            uint32

	mu            sync.Mutex // guard the following variables
	state         transportState
	activeStreams map[uint32]*Stream
}

func NewHTTP2Client(conn io.WriteCloser, window uint32, maxStreams int64) *http2Client {
	t := &http2Client{
		conn:              conn,
		initialWindowSize: window,
		streamQuota:       maxStreams,
		nextID:            1,
		activeStreams:     make(map[uint32]*Stream),
	}
	t.controlBuf = newControlBuffer()
	go t.loopyWriter()
	return t
}

func (t *http2Client) loopyWriter() {
	for {
		it, err := t.controlBuf.get()
		if err != nil {
			return
		}
		if err := it.writeTo(t); err != nil {
			t.Close()
			return
		}
	}
}

// NewStream creates a stream.
func (t *http2Client) NewStream(hf string) (*Stream, error) {
	s := &Stream{done: make(chan struct{})}
	hdr := &headerFrame{hf: hf, onOrphaned: s.finish}
	hdr.initStream = func(id uint32) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.state != reachable {
			s.finish()
			return errStreamDrain
		}
		t.activeStreams[id] = s
		return nil
	}
	checkForStreamQuota := func() bool {
		if t.streamQuota <= 0 {
			return false
		}
		t.streamQuota--
		hdr.streamID = t.nextID
		t.nextID += 2
		s.id = hdr.streamID
		s.fc = &inFlow{limit: t.initialWindowSize}
		return true
	}
	ok, err := t.controlBuf.executeAndPut(checkForStreamQuota, hdr)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errQuotaReached
	}
	return s, nil
}

// updateFlowControl updates the incoming flow control windows of the streams.
func (t *http2Client) updateFlowControl(n uint32) {
	t.mu.Lock()
	for _, s := range t.activeStreams {
		s.fc.newLimit(n)
	}
	t.mu.Unlock()
	updateIWS := func() bool {
		t.initialWindowSize = n
		return true
	}
	t.controlBuf.executeAndPut(updateIWS, &outgoingSettings{initialWindowSize: n})
}

func (t *http2Client) handleData(id, size uint32) error {
	t.mu.Lock()
	s := t.activeStreams[id]
	t.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.fc.onData(size)
}

func (t *http2Client) Close() {
	t.mu.Lock()
	if t.state == closing {
		t.mu.Unlock()
		return
	}
	t.state = closing
	streams := t.activeStreams
	t.activeStreams = nil
	t.mu.Unlock()
	t.controlBuf.finish()
	t.conn.Close()
	for _, s := range streams {
		s.finish()
	}
}
