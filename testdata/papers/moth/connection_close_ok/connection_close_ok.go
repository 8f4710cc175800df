// Package connectioncloseok is Connection of the MoTH suite (MoTH, Table 1),
// with the write hidden in the socket's Close, put right: trySend asks and sends,
// and disconnect closes the socket and resets the count, in one critical section
// each.
package connectioncloseok

import (
	"errors"
	"math/rand/v2"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

var errClosed = errors.New("socket is closed")

// A socket has no lock of its own: that of its connection guards it.
type socket struct {
	closed bool
	out    []string
}

func (s *socket) Close()         { s.closed = true }
func (s *socket) isClosed() bool { return s.closed }

func (s *socket) write(msg string) error {
	if s.closed {
		return errClosed
	}
	s.out = append(s.out, msg)
	return nil
}

type conn struct {
	mu   sync.Mutex
	sock *socket
	n    int // messages sent through sock
}

// trySend sends msg if there is a connection and returns its number.
func (c *conn) trySend(msg string) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sock.isClosed() {
		return 0, nil
	}
	pause()
	c.n++
	err := c.sock.write(msg)
	return c.n, err
}

func (c *conn) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sock.Close()
	pause()
	c.n = 0
}

// Run lets ten goroutines send until each has drawn its lot to disconnect.
func Run() {
	c := &conn{sock: new(socket)}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for rand.IntN(10) != 0 {
				c.trySend("hello")
			}
			c.disconnect()
		})
	}
	wg.Wait()
}
