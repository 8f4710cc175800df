// Package proxy relays TCP with a graceful shutdown.
package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// ErrDraining is returned for connections which come too late.
var ErrDraining = errors.New("proxy: draining")

type session struct {
	client net.Conn

	mu     sync.Mutex
	last   time.Time
	closed bool
}

func (s *session) touch() {
	s.mu.Lock()
	s.last = time.Now()
	s.mu.Unlock()
}

func (s *session) lastUse() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// closeIdle closes the session if it was not used since limit.
func (s *session) closeIdle(limit time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.last.After(limit) {
		return false
	}
	s.closed = true
	s.client.Close()
	return true
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.client.Close()
	}
}

// Server relays to one target.
type Server struct {
	dial func(ctx context.Context) (net.Conn, error)

	mu       sync.Mutex
	empty    *sync.Cond
	sessions map[*session]struct{}
	draining bool
}

// NewServer returns a server which dials with dial.
func NewServer(dial func(ctx context.Context) (net.Conn, error)) *Server {
	s := &Server{dial: dial, sessions: make(map[*session]struct{})}
	s.empty = sync.NewCond(&s.mu)
	return s
}

func (s *Server) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

func (s *Server) track(c net.Conn) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return nil, ErrDraining
	}
	ses := &session{client: c, last: time.Now()}
	s.sessions[ses] = struct{}{}
	return ses, nil
}

func (s *Server) untrack(ses *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, ses)
	if len(s.sessions) == 0 {
		s.empty.Broadcast()
	}
}

// Handle relays one connection.
func (s *Server) Handle(ctx context.Context, c net.Conn) error {
	if s.isDraining() {
		c.Close()
		return ErrDraining
	}
	up, err := s.dial(ctx)
	if err != nil {
		c.Close()
		return err
	}
	defer up.Close()
	ses, err := s.track(c)
	if err != nil {
		c.Close()
		return err
	}
	defer s.untrack(ses)
	defer ses.close()
	done := make(chan error, 2)
	go func() { done <- relay(up, c, ses.touch) }()
	go func() { done <- relay(c, up, ses.touch) }()
	err = <-done
	ses.close()
	up.Close()
	<-done
	return err
}

func relay(dst io.Writer, src io.Reader, used func()) error {
	buf := make([]byte, 16<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			used()
			if _, werr := dst.Write(buf[:n]); werr != nil {
				return werr
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *Server) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*session, 0, len(s.sessions))
	for ses := range s.sessions {
		out = append(out, ses)
	}
	return out
}

// ReapIdle closes sessions which were silent for a while.
func (s *Server) ReapIdle(after time.Duration) (n int) {
	limit := time.Now().Add(-after)
	for _, ses := range s.all() {
		if ses.lastUse().Before(limit) && ses.closeIdle(limit) {
			n++
		}
	}
	return n
}

// Drain refuses new sessions and waits for the others, which are cut off when ctx is done.
func (s *Server) Drain(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()

	stop := context.AfterFunc(ctx, func() {
		for _, ses := range s.all() {
			ses.close()
		}
	})
	defer stop()

	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.sessions) > 0 {
		s.empty.Wait()
	}
}

// Active returns the number of sessions.
func (s *Server) Active() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}
