// Package connectionok is Connection of the MoTH suite (MoTH, Table 1) put
// right: trySend asks and sends, and disconnect resets the socket and the count,
// in one critical section each, so neither can be split.
package connectionok

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

// trySend sends msg if there is a connection and returns its number.
func (c *conn) trySend(msg string) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sock == nil {
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
	c.sock = nil
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
