// Package a remembers over which connection each user of a trading desk can be
// reached. A user has one connection; a new one takes over.
package a

import (
	"errors"
	"sync"
)

var (
	ErrOffline = errors.New("desk: user is offline")
	ErrSlow    = errors.New("desk: user does not keep up")
)

// Conn is the sending side of a websocket.
type Conn struct {
	user string
	out  chan []byte // never closed
	done chan struct{}
	once sync.Once
}

// Close ends the connection; it may be called more than once.
func (c *Conn) Close() {
	c.once.Do(func() { close(c.done) })
}

// Done is closed when the connection is.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Out is where the write pump gets its messages from.
func (c *Conn) Out() <-chan []byte { return c.out }

func (c *Conn) push(msg []byte) error {
	select {
	case <-c.done:
		return ErrOffline
	default:
	}
	select {
	case c.out <- msg:
		return nil
	default:
		return ErrSlow
	}
}

// Desk maps users to their connections.
type Desk struct {
	conns sync.Map // user (string) -> *Conn
}

// Attach makes a connection for user and closes the one before it.
func (d *Desk) Attach(user string) *Conn {
	c := &Conn{user: user, out: make(chan []byte, 64), done: make(chan struct{})}
	if prev, ok := d.conns.Swap(user, c); ok {
		prev.(*Conn).Close()
	}
	return c
}

// Detach is called when the read pump of c has ended, for whatever reason.
func (d *Desk) Detach(c *Conn) {
	c.Close()
	d.conns.CompareAndDelete(c.user, c)
}

// Send queues a message on the user's connection. It is a notice that a price
// has changed; a client asks for the prices anew whenever it connects, so one
// that is lost with its connection does no harm.
func (d *Desk) Send(user string, msg []byte) error {
	v, ok := d.conns.Load(user)
	if !ok {
		return ErrOffline
	}
	c := v.(*Conn)
	err := c.push(msg)
	if errors.Is(err, ErrSlow) {
		d.Detach(c)
	}
	return err
}

// Online returns the users with a connection, in no order.
func (d *Desk) Online() []string {
	var out []string
	d.conns.Range(func(k, _ any) bool {
		out = append(out, k.(string))
		return true
	})
	return out
}
