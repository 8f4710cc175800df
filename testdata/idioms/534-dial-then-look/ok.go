// Package ok connects to one of several addresses.
package ok

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

type status int

const (
	idle status = iota
	connecting
	ready
	failing
	shut
)

var errShut = errors.New("connection is shut down")

// Link is a connection that is made on demand.
type Link struct {
	dial   func(ctx context.Context, addr string) (net.Conn, error)
	notify func(status)
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	status  status
	addrs   []string
	conn    net.Conn
	current string
	tries   int
	reset   chan struct{}
}

// NewLink returns an idle link. notify must not call the link.
func NewLink(addrs []string, dial func(context.Context, string) (net.Conn, error), notify func(status)) *Link {
	ctx, cancel := context.WithCancel(context.Background())
	return &Link{dial: dial, notify: notify, ctx: ctx, cancel: cancel, addrs: addrs, reset: make(chan struct{})}
}

func (l *Link) set(s status) {
	if l.status == s {
		return
	}
	l.status = s
	l.notify(s)
}

// Connect starts to connect if the link is idle.
func (l *Link) Connect() error {
	l.mu.Lock()
	switch l.status {
	case shut:
		l.mu.Unlock()
		return errShut
	case idle:
		l.set(connecting)
		l.mu.Unlock()
		go l.establish()
		return nil
	}
	l.mu.Unlock()
	return nil
}

// ResetWait ends the pause between two attempts.
func (l *Link) ResetWait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.reset)
	l.reset = make(chan struct{})
	l.tries = 0
}

// establish runs while the status is connecting or failing, hence only once.
func (l *Link) establish() {
	l.mu.Lock()
	if l.status == shut {
		l.mu.Unlock()
		return
	}
	addrs := append([]string(nil), l.addrs...)
	l.mu.Unlock()

	conn, addr, err := l.tryAll(addrs)

	l.mu.Lock()
	if l.status == shut {
		l.mu.Unlock()
		if conn != nil {
			conn.Close()
		}
		return
	}
	if err == nil {
		l.conn, l.current, l.tries = conn, addr, 0
		l.set(ready)
		l.mu.Unlock()
		return
	}
	wait := time.Second << min(l.tries, 6)
	l.tries++
	l.set(failing)
	reset := l.reset
	l.mu.Unlock()

	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-reset:
	case <-l.ctx.Done():
		return
	}
	l.mu.Lock()
	if l.status == failing {
		l.set(idle)
	}
	l.mu.Unlock()
}

func (l *Link) tryAll(addrs []string) (net.Conn, string, error) {
	err := errors.New("no addresses")
	for _, a := range addrs {
		var c net.Conn
		if c, err = l.dial(l.ctx, a); err == nil {
			return c, a, nil
		}
	}
	return nil, "", err
}

// Conn returns the connection when there is one.
func (l *Link) Conn() (net.Conn, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn, l.status == ready
}

// Shut ends the link.
func (l *Link) Shut() {
	l.mu.Lock()
	if l.status == shut {
		l.mu.Unlock()
		return
	}
	l.set(shut)
	c := l.conn
	l.conn = nil
	l.mu.Unlock()
	l.cancel()
	if c != nil {
		c.Close()
	}
}
