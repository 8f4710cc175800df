// Package bug bounds the number of connections to each host.
package bug

import (
	"context"
	"sync"
	"sync/atomic"
)

// slot bounds one host; it is kept only as long as somebody uses it.
type slot struct {
	users  atomic.Int32
	tokens chan struct{}
}

// Gate holds the slots of the hosts in use.
type Gate struct {
	perHost int

	mu    sync.RWMutex
	slots map[string]*slot
}

func NewGate(perHost int) *Gate {
	return &Gate{perHost: perHost, slots: make(map[string]*slot)}
}

// Enter waits for a free place at the host. The caller calls leave when its
// connection is closed.
func (g *Gate) Enter(ctx context.Context, host string) (leave func(), err error) {
	s := g.join(host)
	select {
	case s.tokens <- struct{}{}:
	case <-ctx.Done():
		g.part(host, s)
		return nil, ctx.Err()
	}
	return sync.OnceFunc(func() {
		<-s.tokens
		g.part(host, s)
	}), nil
}

// TryEnter is Enter without waiting.
func (g *Gate) TryEnter(host string) (leave func(), ok bool) {
	s := g.join(host)
	select {
	case s.tokens <- struct{}{}:
	default:
		g.part(host, s)
		return nil, false
	}
	return sync.OnceFunc(func() {
		<-s.tokens
		g.part(host, s)
	}), true
}

func (g *Gate) join(host string) *slot {
	g.mu.RLock()
	if s, ok := g.slots[host]; ok {
		s.users.Add(1)
		g.mu.RUnlock()
		return s
	}
	g.mu.RUnlock()

	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.slots[host]
	if !ok {
		s = &slot{tokens: make(chan struct{}, g.perHost)}
		g.slots[host] = s
	}
	s.users.Add(1)
	return s
}

func (g *Gate) part(host string, s *slot) {
	if s.users.Add(-1) > 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.slots, host)
}

// Hosts lists the hosts in use and the number of their users.
func (g *Gate) Hosts() map[string]int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := make(map[string]int, len(g.slots))
	for h, s := range g.slots {
		out[h] = int(s.users.Load())
	}
	return out
}
