// Package tunnel keeps connections which must all be closed at the end.
package tunnel

import (
	"context"
	"errors"
	"net"
	"time"
)

// ErrClosed means that the tunnels were closed.
var ErrClosed = errors.New("tunnel: closed")

// Tunnels is a set of open connections.
type Tunnels struct {
	dialer net.Dialer

	token  chan struct{} // who holds the token owns the fields below
	closed bool
	open   map[net.Conn]time.Time
}

// New returns an empty set.
func New(timeout time.Duration) *Tunnels {
	t := &Tunnels{
		dialer: net.Dialer{Timeout: timeout},
		token:  make(chan struct{}, 1),
		open:   make(map[net.Conn]time.Time),
	}
	t.token <- struct{}{}
	return t
}

func (t *Tunnels) isClosed() bool {
	<-t.token
	defer func() { t.token <- struct{}{} }()
	return t.closed
}

// Dial opens a connection. It belongs to the set until Hangup or Close.
func (t *Tunnels) Dial(ctx context.Context, addr string) (net.Conn, error) {
	if t.isClosed() {
		return nil, ErrClosed
	}
	c, err := t.dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	<-t.token
	defer func() { t.token <- struct{}{} }()
	if t.closed {
		c.Close()
		return nil, ErrClosed
	}
	t.open[c] = time.Now()
	return c, nil
}

// Hangup closes one connection.
func (t *Tunnels) Hangup(c net.Conn) error {
	<-t.token
	delete(t.open, c)
	t.token <- struct{}{}
	return c.Close()
}

// Oldest returns the age of the oldest connection.
func (t *Tunnels) Oldest() (age time.Duration) {
	<-t.token
	defer func() { t.token <- struct{}{} }()
	for _, since := range t.open {
		age = max(age, time.Since(since))
	}
	return age
}

// Close closes all connections. There are no new ones afterwards.
func (t *Tunnels) Close() error {
	<-t.token
	defer func() { t.token <- struct{}{} }()
	if t.closed {
		return ErrClosed
	}
	t.closed = true
	var errs []error
	for c := range t.open {
		errs = append(errs, c.Close())
	}
	clear(t.open)
	return errors.Join(errs...)
}
