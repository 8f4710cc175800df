// Package upstream keeps connections to a log collector.
package upstream

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Errors returned by Acquire.
var (
	ErrClosed = errors.New("upstream: closed")
	ErrBusy   = errors.New("upstream: all connections in use")
)

// Dialer opens a connection.
type Dialer func(ctx context.Context, addr string) (net.Conn, error)

// Group is the set of connections to one address. It is safe for concurrent
// use.
type Group struct {
	addr  string
	dial  Dialer
	limit int

	mu     sync.Mutex
	slots  int                   // taken: open or being dialled
	idle   []net.Conn            // not in use
	inUse  map[net.Conn]struct{} // handed out
	closed bool
}

// NewGroup returns a group of at most limit connections.
func NewGroup(addr string, dial Dialer, limit int) *Group {
	return &Group{addr: addr, dial: dial, limit: limit, inUse: make(map[net.Conn]struct{})}
}

// Acquire hands out a connection.
func (g *Group) Acquire(ctx context.Context) (net.Conn, error) {
	c, err := g.takeIdleOrSlot()
	if c != nil || err != nil {
		return c, err
	}
	c, err = g.dial(ctx, g.addr)
	if err != nil {
		g.freeSlot()
		return nil, err
	}
	if !g.adopt(c) {
		c.Close()
		g.freeSlot()
		return nil, ErrClosed
	}
	return c, nil
}

// takeIdleOrSlot hands out an idle connection or else takes a slot for a new
// one.
func (g *Group) takeIdleOrSlot() (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	if n := len(g.idle); n > 0 {
		c := g.idle[n-1]
		g.idle = g.idle[:n-1]
		g.inUse[c] = struct{}{}
		return c, nil
	}
	if g.slots >= g.limit {
		return nil, ErrBusy
	}
	g.slots++
	return nil, nil
}

// adopt registers a new connection as handed out.
func (g *Group) adopt(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.inUse[c] = struct{}{}
	return true
}

func (g *Group) freeSlot() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slots--
}

// Release takes a connection back. It is closed if broken.
func (g *Group) Release(c net.Conn, broken bool) {
	if g.giveBack(c, broken) {
		return
	}
	c.Close()
	g.freeSlot()
}

// giveBack reports whether c has a further use, or is Close's to clean up.
func (g *Group) giveBack(c net.Conn, broken bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.inUse[c]; !ok {
		return true
	}
	delete(g.inUse, c)
	if broken {
		return false
	}
	g.idle = append(g.idle, c)
	return true
}

// Close closes all connections, also those that are handed out.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	all := g.idle
	for c := range g.inUse {
		all = append(all, c)
	}
	g.idle = nil
	clear(g.inUse)
	g.mu.Unlock()

	for _, c := range all {
		c.Close()
		g.freeSlot()
	}
}
