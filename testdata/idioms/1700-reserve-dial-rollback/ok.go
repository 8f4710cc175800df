// Package a limits the number of open connections.
package a

import (
	"errors"
	"io"
	"sync"
)

var ErrLimit = errors.New("too many connections")

// Conn gives its place in the limit back when it is closed.
type Conn struct {
	io.ReadWriteCloser
	l    *Limiter
	once sync.Once
}

// Close closes the connection.
func (c *Conn) Close() error {
	var err error
	c.once.Do(func() {
		err = c.ReadWriteCloser.Close()
		c.l.forget(c)
	})
	return err
}

// Limiter opens at most max connections at a time.
type Limiter struct {
	dial func(addr string) (io.ReadWriteCloser, error)
	max  int

	mu      sync.Mutex
	pending int // places of dials under way
	open    map[*Conn]string
}

func NewLimiter(max int, dial func(string) (io.ReadWriteCloser, error)) *Limiter {
	return &Limiter{dial: dial, max: max, open: make(map[*Conn]string)}
}

// reserve takes a place for a dial.
func (l *Limiter) reserve() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open)+l.pending >= l.max {
		return false
	}
	l.pending++
	return true
}

// settle turns the place of a dial into that of c, or frees it.
func (l *Limiter) settle(c *Conn, addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending--
	if c != nil {
		l.open[c] = addr
	}
}

func (l *Limiter) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}

// Open dials addr.
func (l *Limiter) Open(addr string) (*Conn, error) {
	if !l.reserve() {
		return nil, ErrLimit
	}
	rwc, err := l.dial(addr)
	if err != nil {
		l.settle(nil, addr)
		return nil, err
	}
	c := &Conn{ReadWriteCloser: rwc, l: l}
	l.settle(c, addr)
	return c, nil
}

// InUse counts the places that are taken.
func (l *Limiter) InUse() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) + l.pending
}
