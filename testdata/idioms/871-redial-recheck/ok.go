// Package peers keeps one shared connection to every peer of a cluster and
// dials peers on demand.
package peers

import (
	"context"
	"errors"
	"sync"
)

var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("peers: closed")
	// ErrUnknown is returned for a peer that is not a member.
	ErrUnknown = errors.New("peers: not a member")
)

// Conn is a multiplexed connection; calls of several goroutines may share it.
type Conn interface {
	Call(ctx context.Context, method string, arg []byte) ([]byte, error)
	Broken() bool
	Close() error
}

// Dialer opens a connection to an address.
type Dialer func(ctx context.Context, addr string) (Conn, error)

// Set is the set of members. All methods are safe for concurrent use.
type Set struct {
	dial Dialer

	mu     sync.Mutex
	addrs  map[string]string
	conns  map[string]Conn
	closed bool
}

// NewSet returns a set without members.
func NewSet(d Dialer) *Set {
	return &Set{dial: d, addrs: make(map[string]string), conns: make(map[string]Conn)}
}

// SetAddr adds a member or changes its address. The connection to an old
// address is closed, which fails the calls under way on it.
func (s *Set) SetAddr(name, addr string) {
	s.mu.Lock()
	if s.closed || s.addrs[name] == addr {
		s.mu.Unlock()
		return
	}
	s.addrs[name] = addr
	old := s.conns[name]
	delete(s.conns, name)
	s.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// Call sends a request to a member.
func (s *Set) Call(ctx context.Context, name, method string, arg []byte) ([]byte, error) {
	c, err := s.conn(ctx, name)
	if err != nil {
		return nil, err
	}
	reply, err := c.Call(ctx, method, arg)
	if err != nil && c.Broken() {
		s.discard(name, c)
	}
	return reply, err
}

// Close closes the connections to all members.
func (s *Set) Close() {
	s.mu.Lock()
	conns := s.conns
	s.conns = nil
	s.closed = true
	s.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
}

// conn returns the connection to a member and dials it if there is none.
// Dialing takes long and is done without the lock.
func (s *Set) conn(ctx context.Context, name string) (Conn, error) {
	for {
		c, addr, err := s.lookup(name)
		if err != nil || c != nil {
			return c, err
		}
		fresh, err := s.dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		kept, err := s.keep(name, addr, fresh)
		if kept != fresh {
			fresh.Close()
		}
		if err != nil || kept != nil {
			return kept, err
		}
		// The member has moved to another address; dial that.
	}
}

// lookup returns the connection to a member, if any, and its address.
func (s *Set) lookup(name string) (Conn, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, "", ErrClosed
	}
	addr, ok := s.addrs[name]
	if !ok {
		return nil, "", ErrUnknown
	}
	return s.conns[name], addr, nil
}

// keep makes fresh the connection to a member and returns it, or the one that
// another goroutine was faster to make. It returns nil when the member does not
// have that address any more.
func (s *Set) keep(name, addr string, fresh Conn) (Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if s.addrs[name] != addr {
		return nil, nil
	}
	if c := s.conns[name]; c != nil {
		return c, nil
	}
	s.conns[name] = fresh
	return fresh, nil
}

// discard drops a broken connection if it is still the one in use.
func (s *Set) discard(name string, c Conn) {
	s.mu.Lock()
	if s.conns[name] == c {
		delete(s.conns, name)
	}
	s.mu.Unlock()
	c.Close()
}
