// Package bug keeps a connection to one of several targets.
package bug

import (
	"context"
	"errors"
	"io"
	"log"
	"sync"
	"time"
)

var errClosing = errors.New("link is closing")

type status int

const (
	idle status = iota
	connecting
	ready
	failing
	shutdown
)

// Dialer opens a connection before the deadline.
type Dialer func(target string, deadline time.Time) (io.Closer, error)

// Observer is told about changes of the status.
type Observer func(s status)

type link struct {
	ctx    context.Context
	cancel context.CancelFunc

	dial    Dialer
	observe Observer

	mu           sync.Mutex
	state        status
	targets      []string
	idx          int
	round        int
	retryAt      time.Time
	resetBackoff chan struct{}
	greeted      bool
	conn         io.Closer
	ready        chan struct{}
	closeErr     error
}

func newLink(targets []string, dial Dialer, observe Observer) *link {
	l := &link{
		dial:         dial,
		observe:      observe,
		targets:      targets,
		resetBackoff: make(chan struct{}),
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// setState needs the lock.
func (l *link) setState(s status) {
	l.state = s
	l.observe(s)
}

// connect starts the loop unless the link is in use.
func (l *link) connect() error {
	l.mu.Lock()
	if l.state == shutdown {
		l.mu.Unlock()
		return errClosing
	}
	if l.state != idle {
		l.mu.Unlock()
		return nil
	}
	l.setState(connecting)
	l.mu.Unlock()
	go l.connectLoop(true)
	return nil
}

func backoff(round int) time.Duration {
	d := time.Second
	for i := 0; i < round && d < 2*time.Minute; i++ {
		d += d / 2
	}
	return d
}

func (l *link) connectLoop(first bool) {
	for {
		if !first {
			if err := l.nextTarget(); err != nil {
				log.Printf("connectLoop: error from nextTarget: %v", err)
			}
		}
		first = false

		l.mu.Lock()
		if l.state == shutdown {
			l.mu.Unlock()
			return
		}
		if l.ready != nil {
			close(l.ready)
			l.ready = nil
		}
		l.conn = nil
		wait := backoff(l.round)
		now := time.Now()
		l.retryAt = now.Add(wait)
		deadline := now.Add(max(wait, 20*time.Second))
		if l.state != connecting {
			l.setState(connecting)
		}
		target := l.targets[l.idx]
		l.mu.Unlock()

		if err := l.open(target, deadline); err != nil {
			continue
		}
		return
	}
}

func (l *link) open(target string, deadline time.Time) error {
	c, err := l.dial(target, deadline)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == shutdown {
		c.Close()
		return errClosing
	}
	l.conn = c
	l.greeted = true
	l.setState(ready)
	if l.ready != nil {
		close(l.ready)
		l.ready = nil
	}
	return nil
}

// nextTarget moves to the next target, after a pause when all were tried.
func (l *link) nextTarget() error {
	l.mu.Lock()
	if l.greeted {
		l.greeted = false
		l.idx, l.round = 0, 0
		l.mu.Unlock()
		return nil
	}
	if l.idx < len(l.targets)-1 {
		l.idx++
		l.mu.Unlock()
		return nil
	}
	l.idx = 0
	l.round++
	if l.state == shutdown {
		l.mu.Unlock()
		return errClosing
	}
	l.setState(failing)
	retryAt := l.retryAt
	reset := l.resetBackoff
	l.mu.Unlock()

	t := time.NewTimer(time.Until(retryAt))
	select {
	case <-t.C:
	case <-reset:
		t.Stop()
	case <-l.ctx.Done():
		t.Stop()
		return l.ctx.Err()
	}
	return nil
}

// resetPause ends a pause that is going on.
func (l *link) resetPause() {
	l.mu.Lock()
	close(l.resetBackoff)
	l.resetBackoff = make(chan struct{})
	l.round = 0
	l.mu.Unlock()
}

// lost is called when the connection breaks.
func (l *link) lost(c io.Closer) {
	l.mu.Lock()
	if l.conn != c || l.state != ready {
		l.mu.Unlock()
		return
	}
	l.conn = nil
	l.setState(failing)
	l.mu.Unlock()
	go l.connectLoop(false)
}

// tearDown closes the link for good.
func (l *link) tearDown(err error) {
	l.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == shutdown {
		return
	}
	l.setState(shutdown)
	l.closeErr = err
	if l.ready != nil {
		close(l.ready)
		l.ready = nil
	}
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}
