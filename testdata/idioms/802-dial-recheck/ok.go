// Package peers keeps one multiplexed client per storage node.
package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("peers: set is closed")

// Client talks to one node. It carries any number of calls at a time.
type Client interface {
	io.Closer
	Call(ctx context.Context, method string, in []byte) ([]byte, error)
}

// Dialer connects to the node at addr.
type Dialer func(ctx context.Context, addr string) (Client, error)

// Set is a set of clients. It is safe for concurrent use.
type Set struct {
	dial Dialer

	mu      sync.RWMutex
	clients map[string]Client
	closed  bool
}

// NewSet returns a set without clients.
func NewSet(dial Dialer) *Set {
	return &Set{dial: dial, clients: make(map[string]Client)}
}

// Client returns the client of the node at addr and connects if need be.
func (s *Set) Client(ctx context.Context, addr string) (Client, error) {
	c, err := s.connected(addr)
	if c != nil || err != nil {
		return c, err
	}
	fresh, err := s.dial(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", addr, err)
	}
	c, err = s.install(addr, fresh)
	if c != fresh {
		fresh.Close()
	}
	return c, err
}

// connected returns the client of addr, or nil if there is none.
func (s *Set) connected(addr string) (Client, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, ErrClosed
	}
	return s.clients[addr], nil
}

// install offers a client for addr and returns the one to use.
func (s *Set) install(addr string, fresh Client) (Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if c, ok := s.clients[addr]; ok {
		return c, nil
	}
	s.clients[addr] = fresh
	return fresh, nil
}

// Call calls a method of the node at addr. A client that fails is dropped, and
// the next call connects again.
func (s *Set) Call(ctx context.Context, addr, method string, in []byte) ([]byte, error) {
	c, err := s.Client(ctx, addr)
	if err != nil {
		return nil, err
	}
	out, err := c.Call(ctx, method, in)
	if err != nil && ctx.Err() == nil {
		s.drop(addr, c)
	}
	return out, err
}

// drop removes c if it is still the client of addr. The calls under way on it
// fail.
func (s *Set) drop(addr string, c Client) {
	s.mu.Lock()
	current := s.clients[addr] == c
	if current {
		delete(s.clients, addr)
	}
	s.mu.Unlock()
	if current {
		c.Close()
	}
}

// Close closes all clients.
func (s *Set) Close() error {
	s.mu.Lock()
	clients := s.clients
	s.clients = make(map[string]Client)
	s.closed = true
	s.mu.Unlock()
	var errs []error
	for _, c := range clients {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
