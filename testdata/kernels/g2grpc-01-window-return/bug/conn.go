// Package bug receives the streams of a multiplexed connection.
package bug

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

type phase int

const (
	open phase = iota
	halfClosed
	finished
)

var errConnDown = errors.New("connection is down")

// credit counts what the remote may send.
type credit struct {
	limit uint32

	mu     sync.Mutex
	unread uint32
	owed   uint32
}

func (c *credit) received(n uint32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread += n
	if c.unread+c.owed > c.limit {
		return fmt.Errorf("received %d bytes, limit is %d", c.unread+c.owed, c.limit)
	}
	return nil
}

// consumed returns the credit to announce, 0 if it can wait.
func (c *credit) consumed(n uint32) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unread == 0 {
		return 0
	}
	c.unread -= n
	c.owed += n
	if c.owed >= c.limit/4 {
		w := c.owed
		c.owed = 0
		return w
	}
	return 0
}

func (c *credit) drop() uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.unread
	c.unread = 0
	return n
}

type frame struct {
	stream uint32
	grant  uint32
	reset  bool
}

type outbox struct {
	mu     sync.Mutex
	frames []frame
	wake   chan struct{}
}

func (o *outbox) put(f frame) {
	o.mu.Lock()
	o.frames = append(o.frames, f)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) take() []frame {
	o.mu.Lock()
	defer o.mu.Unlock()
	fs := o.frames
	o.frames = nil
	return fs
}

// Stream is one call.
type Stream struct {
	id   uint32
	conn *Conn
	win  credit

	inbox chan []byte
	rest  []byte

	mu    sync.Mutex
	phase phase
	done  chan struct{}
}

// Conn is the receiving side.
type Conn struct {
	win credit
	out outbox

	mu      sync.Mutex
	streams map[uint32]*Stream
	nextID  uint32
	down    bool
}

// NewConn returns a connection with a window of limit bytes.
func NewConn(limit uint32) *Conn {
	return &Conn{
		win:     credit{limit: limit},
		out:     outbox{wake: make(chan struct{}, 1)},
		streams: make(map[uint32]*Stream),
		nextID:  1,
	}
}

// Open starts a stream.
func (c *Conn) Open(limit uint32) (*Stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errConnDown
	}
	s := &Stream{
		id:    c.nextID,
		conn:  c,
		win:   credit{limit: limit},
		inbox: make(chan []byte, 1024),
		done:  make(chan struct{}),
	}
	c.nextID += 2
	c.streams[s.id] = s
	return s, nil
}

func (c *Conn) find(id uint32) (*Stream, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.streams[id]
	return s, ok
}

func (c *Conn) giveBack(n uint32) {
	if w := c.win.consumed(n); w > 0 {
		c.out.put(frame{grant: w})
	}
}

// Data is called by the reader goroutine for each data frame.
func (c *Conn) Data(id uint32, p []byte) error {
	n := uint32(len(p))
	if err := c.win.received(n); err != nil {
		return err
	}
	s, ok := c.find(id)
	if !ok {
		c.giveBack(n)
		return nil
	}
	s.mu.Lock()
	if s.phase == finished {
		s.mu.Unlock()
		c.giveBack(n)
		return nil
	}
	if err := s.win.received(n); err != nil {
		s.mu.Unlock()
		c.Finish(s)
		c.out.put(frame{stream: id, reset: true})
		return nil
	}
	s.mu.Unlock()
	select {
	case s.inbox <- append([]byte(nil), p...):
	case <-s.done:
	}
	return nil
}

// Finish ends a stream; any goroutine may call it.
func (c *Conn) Finish(s *Stream) {
	c.mu.Lock()
	delete(c.streams, s.id)
	c.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.win.drop(); n > 0 {
		c.giveBack(n)
	}
	if s.phase == finished {
		return
	}
	s.phase = finished
	close(s.done)
}

func (c *Conn) consumed(s *Stream, n uint32) {
	c.giveBack(n)
	if w := s.win.consumed(n); w > 0 {
		c.out.put(frame{stream: s.id, grant: w})
	}
}

// Read is called by the owner of the stream.
func (s *Stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		select {
		case b := <-s.inbox:
			s.rest = b
		case <-s.done:
			return 0, io.EOF
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	s.conn.consumed(s, uint32(n))
	return n, nil
}

// Pending returns the frames to be written.
func (c *Conn) Pending() []frame {
	<-c.out.wake
	return c.out.take()
}
