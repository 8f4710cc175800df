// Package upstream keeps one multiplexed session per backend of the gateway.
package upstream

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned once the pool has been closed.
var ErrClosed = errors.New("upstream: pool closed")

// Session is a multiplexed connection. Its methods are safe for concurrent
// use, and Close may be called more than once. Call fails when the connection
// is broken, for all its users, or when ctx ends.
type Session interface {
	Call(ctx context.Context, method string, body []byte) ([]byte, error)
	Close() error
}

// Dialer opens sessions.
type Dialer interface {
	Dial(ctx context.Context, addr string) (Session, error)
}

// Pool hands out sessions. It is safe for concurrent use.
type Pool struct {
	dialer Dialer

	mu       sync.RWMutex
	sessions map[string]Session
	closed   bool
}

// NewPool returns an empty pool.
func NewPool(d Dialer) *Pool {
	return &Pool{dialer: d, sessions: make(map[string]Session)}
}

// Call sends a request to the backend at addr.
func (p *Pool) Call(ctx context.Context, addr, method string, body []byte) ([]byte, error) {
	s, err := p.session(ctx, addr)
	if err != nil {
		return nil, err
	}
	resp, err := s.Call(ctx, method, body)
	if err != nil && ctx.Err() == nil {
		p.discard(addr, s)
	}
	return resp, err
}

// session returns the session to addr, which it opens if there is none.
func (p *Pool) session(ctx context.Context, addr string) (Session, error) {
	p.mu.RLock()
	s, ok := p.sessions[addr]
	closed := p.closed
	p.mu.RUnlock()
	if closed {
		return nil, ErrClosed
	}
	if ok {
		return s, nil
	}
	// Dialling can take seconds; calls to other backends go on meanwhile.
	fresh, err := p.dialer.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	return p.adopt(addr, fresh)
}

// adopt enters fresh, or closes it in favour of a session that somebody else
// has entered.
func (p *Pool) adopt(addr string, fresh Session) (Session, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		fresh.Close()
		return nil, ErrClosed
	}
	if s, ok := p.sessions[addr]; ok {
		p.mu.Unlock()
		fresh.Close()
		return s, nil
	}
	p.sessions[addr] = fresh
	p.mu.Unlock()
	return fresh, nil
}

// discard drops s after a failed call, unless it has been replaced already.
func (p *Pool) discard(addr string, s Session) {
	p.mu.Lock()
	if p.sessions[addr] == s {
		delete(p.sessions, addr)
	}
	p.mu.Unlock()
	s.Close()
}

// Close closes all sessions. Calls under way fail.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	open := p.sessions
	p.sessions = make(map[string]Session)
	p.mu.Unlock()
	for _, s := range open {
		s.Close()
	}
}
