// Package connpool keeps a bounded set of backend connections.
package connpool

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

var (
	ErrClosed    = errors.New("connpool: closed")
	ErrExhausted = errors.New("connpool: all connections are in use")
)

// Dialer opens one connection to the backend.
type Dialer func(ctx context.Context) (io.ReadWriteCloser, error)

// Conn is a pooled connection.
type Conn struct {
	io.ReadWriteCloser
	lastUsed time.Time
}

// Pool hands out at most max connections.
type Pool struct {
	sync.Mutex
	dial    Dialer
	max     int
	open    int
	idle    []*Conn
	idleTTL time.Duration
	closed  bool
	stop    chan struct{}
}

// New returns a pool and starts its reaper.
func New(dial Dialer, max int, idleTTL time.Duration) *Pool {
	p := &Pool{dial: dial, max: max, idleTTL: idleTTL, stop: make(chan struct{})}
	go p.reapLoop()
	return p
}

// Get returns an idle connection or dials a new one.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	p.Lock()
	if p.closed {
		p.Unlock()
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.Unlock()
		return c, nil
	}
	if p.open >= p.max {
		p.Unlock()
		return nil, ErrExhausted
	}
	p.Unlock()

	rwc, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}

	p.Lock()
	p.open++
	p.Unlock()
	return &Conn{ReadWriteCloser: rwc}, nil
}

// Put gives a connection back; broken connections are discarded.
func (p *Pool) Put(c *Conn, broken bool) {
	p.Lock()
	if broken || p.closed {
		p.open--
		p.Unlock()
		c.Close()
		return
	}
	c.lastUsed = time.Now()
	p.idle = append(p.idle, c)
	p.Unlock()
}

// Close closes idle connections. Connections in use are closed by Put.
func (p *Pool) Close() {
	p.Lock()
	if p.closed {
		p.Unlock()
		return
	}
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.open -= len(idle)
	close(p.stop)
	p.Unlock()
	for _, c := range idle {
		c.Close()
	}
}

func (p *Pool) reapLoop() {
	t := time.NewTicker(p.idleTTL)
	defer t.Stop()
	for {
		select {
		case <-p.stop:
			return
		case now := <-t.C:
			for _, c := range p.takeExpired(now) {
				c.Close()
			}
		}
	}
}

func (p *Pool) takeExpired(now time.Time) []*Conn {
	p.Lock()
	defer p.Unlock()
	var expired, kept []*Conn
	for _, c := range p.idle {
		if now.Sub(c.lastUsed) > p.idleTTL {
			expired = append(expired, c)
		} else {
			kept = append(kept, c)
		}
	}
	p.idle = kept
	p.open -= len(expired)
	return expired
}
