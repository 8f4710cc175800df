package a

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var ErrDraining = errors.New("captions: server is draining")

type viewer struct {
	out chan string
}

// Server sends live captions to viewers. It drains once and never comes back.
type Server struct {
	draining atomic.Bool
	since    atomic.Int64
	drainOne sync.Once
	quit     chan struct{}

	mu      sync.Mutex
	viewers map[*viewer]struct{}
	wg      sync.WaitGroup
}

func NewServer() *Server {
	return &Server{quit: make(chan struct{}), viewers: make(map[*viewer]struct{})}
}

func (s *Server) Watch(ctx context.Context, send func(string) error) error {
	if s.draining.Load() {
		return ErrDraining
	}
	v := &viewer{out: make(chan string, 16)}
	s.mu.Lock()
	if s.draining.Load() {
		s.mu.Unlock()
		return ErrDraining
	}
	s.viewers[v] = struct{}{}
	s.wg.Add(1)
	s.mu.Unlock()
	defer s.leave(v)

	for {
		select {
		case text := <-v.out:
			if err := send(text); err != nil {
				return err
			}
		case <-s.quit:
			return ErrDraining
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Server) leave(v *viewer) {
	s.mu.Lock()
	delete(s.viewers, v)
	s.mu.Unlock()
	s.wg.Done()
}

func (s *Server) Caption(text string) (dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.viewers {
		select {
		case v.out <- text:
		default:
			dropped++
		}
	}
	return dropped
}

func (s *Server) Drain() {
	if !s.draining.Load() {
		s.mu.Lock()
		s.draining.Store(true)
		s.mu.Unlock()
	}
	s.drainOne.Do(func() {
		s.since.Store(time.Now().UnixNano())
		close(s.quit)
	})
	s.wg.Wait()
}

func (s *Server) DrainingSince() (time.Time, bool) {
	ns := s.since.Load()
	if ns == 0 {
		return time.Time{}, false
	}
	return time.Unix(0, ns), true
}
