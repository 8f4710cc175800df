// Package fix multiplexes streams over one connection. The peer grants a
// number of bytes for the whole connection and closes it when we send more.
package fix

import (
	"errors"
	"io"
	"sync"
)

// ErrConnClosed is returned by writes on a closed connection.
var ErrConnClosed = errors.New("connection closed")

const maxFrame = 16 << 10

type window struct {
	mu     sync.Mutex
	cond   sync.Cond
	avail  int
	closed bool
}

func newWindow(n int) *window {
	w := &window{avail: n}
	w.cond.L = &w.mu
	return w
}

// await waits for room, takes some of want bytes off the window and says how
// many may go out.
func (w *window) await(want int) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.avail <= 0 && !w.closed {
		w.cond.Wait()
	}
	if w.closed {
		return 0, ErrConnClosed
	}
	n := min(want, w.avail, maxFrame)
	w.charge(n)
	return n, nil
}

// charge takes n bytes off the window; w.mu is held.
func (w *window) charge(n int) {
	w.avail -= n
}

func (w *window) grant(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.avail += n
	w.cond.Broadcast()
}

func (w *window) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.cond.Broadcast()
}

// Conn is a connection shared by streams.
type Conn struct {
	send *window

	wmu sync.Mutex
	out io.WriteCloser

	mu   sync.Mutex
	next uint32
}

// NewConn returns a connection on which the peer has granted n bytes.
func NewConn(out io.WriteCloser, n int) *Conn {
	return &Conn{out: out, send: newWindow(n)}
}

// Open starts a stream.
func (c *Conn) Open() *Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next += 2
	return &Stream{id: c.next, conn: c}
}

// Granted is called by the read loop for a window update.
func (c *Conn) Granted(n int) {
	c.send.grant(n)
}

// Close closes the connection.
func (c *Conn) Close() error {
	c.send.close()
	return c.out.Close()
}

func (c *Conn) writeFrame(id uint32, p []byte) error {
	head := [8]byte{
		byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id),
		byte(len(p) >> 24), byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p)),
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if _, err := c.out.Write(head[:]); err != nil {
		return err
	}
	_, err := c.out.Write(p)
	return err
}

// Stream is one direction of a stream. Each stream has one writer.
type Stream struct {
	id   uint32
	conn *Conn
}

// Write sends p in frames as the window allows.
func (s *Stream) Write(p []byte) (int, error) {
	sent := 0
	for sent < len(p) {
		n, err := s.conn.send.await(len(p) - sent)
		if err != nil {
			return sent, err
		}
		if err := s.conn.writeFrame(s.id, p[sent:sent+n]); err != nil {
			s.conn.send.close()
			return sent, err
		}
		sent += n
	}
	return sent, nil
}
