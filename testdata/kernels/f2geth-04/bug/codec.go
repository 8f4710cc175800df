// Package bug speaks a framed protocol with liveness probes.
package bug

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

const (
	frameData = iota
	frameProbe
	frameEcho
)

const (
	probeEvery   = 30 * time.Second
	probeTimeout = 30 * time.Second
	writeTimeout = 5 * time.Second
	maxFrame     = 1 << 20
)

var errFrameSize = errors.New("frame too large")

// wire reads and writes frames. Writes are serialised; one goroutine reads.
type wire struct {
	conn net.Conn
	br   *bufio.Reader

	wmu sync.Mutex
	bw  *bufio.Writer

	onEcho func()
}

func newWire(c net.Conn) *wire {
	return &wire{conn: c, br: bufio.NewReader(c), bw: bufio.NewWriter(c)}
}

func (w *wire) write(kind byte, data []byte) error {
	w.wmu.Lock()
	defer w.wmu.Unlock()
	w.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	var hdr [5]byte
	hdr[0] = kind
	binary.BigEndian.PutUint32(hdr[1:], uint32(len(data)))
	w.bw.Write(hdr[:])
	w.bw.Write(data)
	return w.bw.Flush()
}

// next returns the next data frame.
func (w *wire) next() ([]byte, error) {
	for {
		var hdr [5]byte
		if _, err := io.ReadFull(w.br, hdr[:]); err != nil {
			return nil, err
		}
		n := binary.BigEndian.Uint32(hdr[1:])
		if n > maxFrame {
			return nil, errFrameSize
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(w.br, data); err != nil {
			return nil, err
		}
		switch hdr[0] {
		case frameProbe:
			if err := w.write(frameEcho, data); err != nil {
				return nil, err
			}
		case frameEcho:
			w.onEcho()
		default:
			return data, nil
		}
	}
}

// Codec is one connection.
type Codec struct {
	w      *wire
	wg     sync.WaitGroup
	once   sync.Once
	closed chan struct{}
	wrote  chan struct{}
}

// NewCodec takes over c and starts probing.
func NewCodec(c net.Conn) *Codec {
	cc := &Codec{
		w:      newWire(c),
		closed: make(chan struct{}),
		wrote:  make(chan struct{}, 1),
	}
	cc.w.onEcho = func() {
		cc.w.conn.SetReadDeadline(time.Time{})
	}
	cc.wg.Add(1)
	go cc.probe()
	return cc
}

// Read returns the next message. It is called by one goroutine.
func (c *Codec) Read() ([]byte, error) { return c.w.next() }

// Write sends a message.
func (c *Codec) Write(data []byte) error {
	err := c.w.write(frameData, data)
	if err == nil {
		select {
		case c.wrote <- struct{}{}:
		default:
		}
	}
	return err
}

// probe sends a probe when nothing was written for a while and lets the
// reader fail when the other side does not answer in time.
func (c *Codec) probe() {
	defer c.wg.Done()
	timer := time.NewTimer(probeEvery)
	defer timer.Stop()
	for {
		select {
		case <-c.closed:
			return
		case <-c.wrote:
			timer.Reset(probeEvery)
		case <-timer.C:
			c.w.write(frameProbe, nil)
			c.w.conn.SetReadDeadline(time.Now().Add(probeTimeout))
			timer.Reset(probeEvery)
		}
	}
}

// Close ends the connection.
func (c *Codec) Close() {
	c.once.Do(func() {
		close(c.closed)
		c.w.conn.Close()
	})
	c.wg.Wait()
}
