// Package a is the client side of a line oriented message queue.
package a

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("connection closed")

// Conn is a connection to one queue daemon. A reader and a writer
// goroutine serve it; either of them shuts it down on an error.
type Conn struct {
	rwc io.ReadWriteCloser

	closeFlag atomic.Int32
	exitChan  chan struct{}

	out      chan []byte
	incoming chan []byte
	wg       sync.WaitGroup

	errMu   sync.Mutex
	lastErr error
}

func NewConn(rwc io.ReadWriteCloser) *Conn {
	c := &Conn{
		rwc:      rwc,
		exitChan: make(chan struct{}),
		out:      make(chan []byte, 16),
		incoming: make(chan []byte, 16),
	}
	c.wg.Add(2)
	go c.readLoop()
	go c.writeLoop()
	return c
}

// Messages delivers the received lines; it is never closed.
func (c *Conn) Messages() <-chan []byte { return c.incoming }

// Publish queues one message for sending.
func (c *Conn) Publish(msg []byte) error {
	select {
	case <-c.exitChan:
		return ErrClosed
	case c.out <- msg:
		return nil
	}
}

func (c *Conn) readLoop() {
	defer c.wg.Done()
	r := bufio.NewReader(c.rwc)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			c.fail(err)
			return
		}
		select {
		case c.incoming <- line:
		case <-c.exitChan:
			return
		}
	}
}

func (c *Conn) writeLoop() {
	defer c.wg.Done()
	for {
		select {
		case msg := <-c.out:
			if _, err := c.rwc.Write(msg); err != nil {
				c.fail(err)
				return
			}
		case <-c.exitChan:
			return
		}
	}
}

// fail remembers the first error and shuts the connection down.
func (c *Conn) fail(err error) {
	c.errMu.Lock()
	if c.lastErr == nil {
		c.lastErr = err
	}
	c.errMu.Unlock()
	c.shutdown()
}

func (c *Conn) shutdown() {
	if !c.closeFlag.CompareAndSwap(0, 1) {
		return
	}
	close(c.exitChan)
	c.rwc.Close()
}

// Err returns the error that ended the connection, if any.
func (c *Conn) Err() error {
	c.errMu.Lock()
	defer c.errMu.Unlock()
	return c.lastErr
}

// Close ends the connection and waits for its goroutines.
func (c *Conn) Close() error {
	c.shutdown()
	c.wg.Wait()
	return c.Err()
}
