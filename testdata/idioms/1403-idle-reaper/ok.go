// Package tunnel closes device tunnels that have been silent for too long.
package tunnel

import (
	"io"
	"sync"
	"time"
)

type tunnel struct {
	conn   io.Closer
	seenAt time.Time
}

type Server struct {
	sync.RWMutex
	tunnels map[string]*tunnel
	maxIdle time.Duration
	quit    chan struct{}
	ended   chan struct{}
}

func NewServer(maxIdle time.Duration) *Server {
	s := &Server{
		tunnels: make(map[string]*tunnel),
		maxIdle: maxIdle,
		quit:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
	go s.reapLoop()
	return s
}

// Register takes conn as the tunnel of device; an older one is closed.
func (s *Server) Register(device string, conn io.Closer) {
	s.Lock()
	old := s.tunnels[device]
	s.tunnels[device] = &tunnel{conn: conn, seenAt: time.Now()}
	s.Unlock()
	if old != nil {
		old.conn.Close()
	}
}

// Heartbeat is called for each frame from device.
func (s *Server) Heartbeat(device string) bool {
	s.Lock()
	defer s.Unlock()
	t, ok := s.tunnels[device]
	if ok {
		t.seenAt = time.Now()
	}
	return ok
}

func (s *Server) silentSince(cutoff time.Time) []string {
	s.RLock()
	defer s.RUnlock()
	var out []string
	for dev, t := range s.tunnels {
		if t.seenAt.Before(cutoff) {
			out = append(out, dev)
		}
	}
	return out
}

func (s *Server) remove(device string, cond func(*tunnel) bool) *tunnel {
	s.Lock()
	defer s.Unlock()
	t, ok := s.tunnels[device]
	if !ok || !cond(t) {
		return nil
	}
	delete(s.tunnels, device)
	return t
}

func (s *Server) reap(now time.Time) int {
	cutoff := now.Add(-s.maxIdle)
	n := 0
	for _, dev := range s.silentSince(cutoff) {
		t := s.remove(dev, func(t *tunnel) bool { return t.seenAt.Before(cutoff) })
		if t == nil {
			continue
		}
		t.conn.Close()
		n++
	}
	return n
}

func (s *Server) reapLoop() {
	defer close(s.ended)
	tick := time.NewTicker(s.maxIdle / 4)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			s.reap(now)
		case <-s.quit:
			return
		}
	}
}

// Stop ends the reaper; it must be called once.
func (s *Server) Stop() {
	close(s.quit)
	<-s.ended
}
