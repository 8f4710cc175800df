package helpers

import "sync"

type phase int

const (
	idle phase = iota
	dialing
	ready
	closed
)

// Link sets its phase by a function that tells of changes.
type Link struct {
	dial func() any
	tell func(phase)

	mu    sync.Mutex
	phase phase
	conn  any
}

// set asks whether there is a change: that is no look at the phase.
func (l *Link) set(p phase) {
	if l.phase != p {
		l.phase = p
		l.tell(p)
	}
}

// Connect may be done after Close.
func (l *Link) Connect() {
	l.mu.Lock()
	if l.phase == closed {
		l.mu.Unlock()
		return
	}
	l.set(dialing)
	l.mu.Unlock()
	conn := l.dial()
	l.adopt(conn) // want `check-then-act: l\.phase was checked`
}

// ConnectAgain looks.
func (l *Link) ConnectAgain() {
	l.mu.Lock()
	if l.phase == closed {
		l.mu.Unlock()
		return
	}
	l.set(dialing)
	l.mu.Unlock()
	conn := l.dial()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase == closed {
		return
	}
	l.conn = conn
	l.set(ready)
}

func (l *Link) adopt(conn any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
	l.set(ready)
}

func (l *Link) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = nil
	l.set(closed)
}
