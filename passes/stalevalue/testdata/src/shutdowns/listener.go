package shutdowns

import (
	"net"
	"sync"
	"sync/atomic"
)

// A Listener closes what it has accepted.
type Listener struct {
	closing atomic.Bool

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (l *Listener) Close() {
	l.closing.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.Close()
	}
}

func (l *Listener) track(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = true
}

func (l *Listener) forget(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// Serve looks at the flag in the next turn of the loop, for another reason.
func (l *Listener) Serve(from net.Listener) {
	for {
		c, err := from.Accept()
		if err != nil {
			if l.closing.Load() {
				return
			}
			continue
		}
		if l.closing.Load() {
			c.Close()
			return
		}
		l.track(c) // want `check-then-act: l.closing was checked at line 48`
	}
}

// ServeAndLook looks at it again for the same connection.
func (l *Listener) ServeAndLook(from net.Listener) {
	for {
		c, err := from.Accept()
		if err != nil {
			return
		}
		if l.closing.Load() {
			c.Close()
			return
		}
		l.track(c)
		if l.closing.Load() {
			l.forget(c)
			c.Close()
			return
		}
	}
}
