// Package balance spreads requests over servers.
//
// Correct: the loads that are compared may be out of date when a server has
// been chosen, but the choice is only a preference. No limit on the load of a
// server is promised; the counts themselves are raised and lowered by single
// atomic steps, and a server that just went down makes the caller try again.
package balance

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

var ErrNone = errors.New("balance: no server")

type Server struct {
	addr   string
	active atomic.Int64
	down   atomic.Bool
}

func (s *Server) Addr() string { return s.addr }

// Lease is one request on its way.
type Lease struct {
	server *Server
	ended  atomic.Bool
}

func (l *Lease) Addr() string { return l.server.addr }

// End may be called more than once.
func (l *Lease) End() {
	if l.ended.CompareAndSwap(false, true) {
		l.server.active.Add(-1)
	}
}

// Failed ends the request and takes its server out until the next check.
func (l *Lease) Failed() {
	l.server.down.Store(true)
	l.End()
}

type Balancer struct {
	mu      sync.RWMutex
	servers []*Server // replaced as a whole
}

// SetServers puts new servers in place; known ones keep their counts.
func (b *Balancer) SetServers(addrs ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := make([]*Server, 0, len(addrs))
	for _, addr := range addrs {
		i := slices.IndexFunc(b.servers, func(s *Server) bool { return s.addr == addr })
		if i >= 0 {
			next = append(next, b.servers[i])
		} else {
			next = append(next, &Server{addr: addr})
		}
	}
	b.servers = next
}

func (b *Balancer) list() []*Server {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.servers
}

// Acquire chooses the server with the fewest requests.
func (b *Balancer) Acquire() (*Lease, error) {
	var best *Server
	for _, s := range b.list() {
		if s.down.Load() {
			continue
		}
		if best == nil || s.active.Load() < best.active.Load() {
			best = s
		}
	}
	if best == nil {
		return nil, ErrNone
	}
	best.active.Add(1)
	return &Lease{server: best}, nil
}

// Checked enters the outcome of a health check.
func (b *Balancer) Checked(addr string, ok bool) {
	for _, s := range b.list() {
		if s.addr == addr {
			s.down.Store(!ok)
		}
	}
}
