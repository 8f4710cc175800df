// Package connectionclose is Connection of the MoTH suite (MoTH, Table 1) as it
// was written first: disconnecting doesn't change a field of the connection, it
// closes the socket, and the write is hidden in a method of another type. What
// is wrong is the same as with a visible write.
//
// AV1: trySend. isConnected; resetSocket of another goroutine; send: the answer
// is stale, the message is numbered and goes to a closed socket.
//
// AV2: disconnect. resetSocket; send of another goroutine; resetCount: the
// sender sees a closed socket that has messages, and its number is wiped.
package connectionclose

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

func (c *conn) isConnected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.sock.isClosed()
}

// send returns the number of the message.
func (c *conn) send(msg string) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	err := c.sock.write(msg)
	return c.n, err
}

func (c *conn) resetSocket() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sock.Close()
}

func (c *conn) resetCount() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = 0
}

// trySend sends msg if there is a connection.
func (c *conn) trySend(msg string) (int, error) {
	if !c.isConnected() {
		return 0, nil
	}
	pause()
	return c.send(msg)
}

func (c *conn) disconnect() {
	c.resetSocket()
	pause()
	c.resetCount()
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
