package acts

import (
	"sync"
	"sync/atomic"
)

type state int

const (
	idle state = iota
	connecting
	ready
	closed
)

// A Link has a state that its goroutine moves on.
type Link struct {
	mu    sync.Mutex
	state state
	tries int
}

// set is called with mu held. It sets what is set already as well as not.
func (l *Link) set(s state) {
	if l.state == s {
		return
	}
	l.state = s
}

// Connect starts a goroutine that looks whether the link is closed, and finds it connecting as well.
func (l *Link) Connect() {
	l.mu.Lock()
	s := l.state
	l.mu.Unlock()
	if s != idle {
		return
	}
	go l.run() // want `l.state was checked .* and start a second one`
}

func (l *Link) run() {
	for {
		l.mu.Lock()
		if l.state == closed {
			l.mu.Unlock()
			return
		}
		l.set(connecting)
		l.tries++
		l.mu.Unlock()
	}
}

// Reconnect sets the state in the section of the look.
func (l *Link) Reconnect() {
	l.mu.Lock()
	if l.state != idle {
		l.mu.Unlock()
		return
	}
	l.set(connecting)
	l.mu.Unlock()
	go l.run()
}

// Wake starts a goroutine that ends if the link is no longer idle.
func (l *Link) Wake() {
	l.mu.Lock()
	s := l.state
	l.mu.Unlock()
	if s != idle {
		return
	}
	go func() {
		l.mu.Lock()
		if l.state != idle {
			l.mu.Unlock()
			return
		}
		l.state = connecting
		l.mu.Unlock()
		l.run()
	}()
}

// Resume starts a goroutine in which another variable decides.
func (l *Link) Resume() {
	l.mu.Lock()
	s := l.state
	l.mu.Unlock()
	if s != idle {
		return
	}
	go func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.tries == 0 {
			l.tries = 1
			l.state = connecting
		}
	}()
}

// Close ends the goroutine.
func (l *Link) Close() {
	l.mu.Lock()
	l.state = closed
	l.mu.Unlock()
}

// A Raft is given up when a crossing fails.
type Raft struct {
	lost atomic.Bool
	done chan struct{}
}

// Cross closes the channel twice if two crossings fail at once.
func (r *Raft) Cross(f func() error) error {
	if r.lost.Load() {
		return nil
	}
	if err := f(); err != nil {
		r.lost.Store(true) // want `r.lost was checked`
		close(r.done)
		return err
	}
	return nil
}
