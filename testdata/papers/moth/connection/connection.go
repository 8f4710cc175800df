// Package connection is Connection of the MoTH suite (MoTH, Table 1; after
// Beckman, Bierhoff and Aldrich): the threads of a user interface send messages
// through one connection until one of them disconnects it. The socket and the
// number of messages belong together; mu makes every single method atomic.
//
// AV1: trySend. isConnected; resetSocket of another goroutine; send: the answer
// is stale, the message is numbered and goes to a closed socket.
//
// AV2: disconnect. resetSocket; send of another goroutine; resetCount: the
// sender sees a closed socket that has messages, and its number is wiped.
package connection

import (
	"errors"
	"math/rand/v2"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

var errClosed = errors.New("socket is closed")

type socket struct{ out []string }

// write of a nil socket is an error, as with an *os.File.
func (s *socket) write(msg string) error {
	if s == nil {
		return errClosed
	}
	s.out = append(s.out, msg)
	return nil
}

type conn struct {
	mu   sync.Mutex
	sock *socket // nil when closed
	n    int     // messages sent through sock
}

func (c *conn) isConnected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sock != nil
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
	c.sock = nil
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
