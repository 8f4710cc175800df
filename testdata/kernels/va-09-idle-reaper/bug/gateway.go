package gateway

import (
	"io"
	"sync"
	"time"
)

type session struct {
	conn  io.Closer
	seen  time.Time
	timer *time.Timer
}

type Gateway struct {
	mu       sync.Mutex
	idle     time.Duration
	sessions map[string]*session
}

func New(idle time.Duration) *Gateway {
	return &Gateway{idle: idle, sessions: make(map[string]*session)}
}

func (g *Gateway) Open(id string, conn io.Closer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sessions[id] != nil {
		return false
	}
	s := &session{conn: conn, seen: time.Now()}
	s.timer = time.AfterFunc(g.idle, func() { g.expire(id) })
	g.sessions[id] = s
	return true
}

func (g *Gateway) Touch(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.sessions[id]
	if ok {
		s.seen = time.Now()
		s.timer.Reset(g.idle)
	}
	return ok
}

func (g *Gateway) quietFor(id string) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.quietForLocked(id)
}

func (g *Gateway) quietForLocked(id string) time.Duration {
	if s := g.sessions[id]; s != nil {
		return time.Since(s.seen)
	}
	return 0
}

func (g *Gateway) expire(id string) {
	if !(g.quietFor(id) >= g.idle) {
		return
	}
	g.mu.Lock()
	s := g.sessions[id]
	delete(g.sessions, id)
	g.mu.Unlock()
	if s != nil {
		_ = s.conn.Close()
	}
}

func (g *Gateway) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.sessions)
}
