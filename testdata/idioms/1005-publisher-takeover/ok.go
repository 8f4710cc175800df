// Package ingest keeps the publishers of a media server by stream name.
package ingest

import (
	"errors"
	"log"
	"sync"
)

// ErrNoStream is returned when nobody publishes the stream.
var ErrNoStream = errors.New("ingest: no such stream")

// Frame is one access unit.
type Frame []byte

// Session is one publishing connection.
type Session struct {
	name   string
	remote string

	mu      sync.Mutex
	ended   bool
	viewers map[chan Frame]struct{}
}

// Write hands a frame to the viewers; a viewer that lags loses frames.
func (s *Session) Write(f Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.viewers {
		select {
		case v <- f:
		default:
		}
	}
}

func (s *Session) join() (<-chan Frame, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, false
	}
	v := make(chan Frame, 64)
	s.viewers[v] = struct{}{}
	return v, true
}

// end closes the channels of all viewers. Further calls have no effect.
func (s *Session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	for v := range s.viewers {
		close(v)
	}
	s.viewers = nil
}

// Registry maps names to the current publisher. Connections use it
// concurrently.
type Registry struct {
	sessions sync.Map // string -> *Session
}

// Publish makes a new session the publisher of the name. A publisher that
// reconnects takes over from its own dead connection.
func (r *Registry) Publish(name, remote string) *Session {
	s := &Session{name: name, remote: remote, viewers: make(map[chan Frame]struct{})}
	if old, loaded := r.sessions.Swap(name, s); loaded {
		prev := old.(*Session)
		log.Printf("ingest: %s: %s takes over from %s", name, remote, prev.remote)
		prev.end()
	}
	return s
}

// Unpublish is called when the connection of a session ends.
func (r *Registry) Unpublish(s *Session) {
	cur, ok := r.sessions.Load(s.name)
	if ok && cur.(*Session) == s {
		log.Printf("ingest: %s: %s has left", s.name, s.remote)
		r.sessions.CompareAndDelete(s.name, s)
	}
	s.end()
}

// Watch returns the frames of a stream, from now on, until its session ends.
func (r *Registry) Watch(name string) (<-chan Frame, error) {
	for {
		v, ok := r.sessions.Load(name)
		if !ok {
			return nil, ErrNoStream
		}
		s := v.(*Session)
		if ch, ok := s.join(); ok {
			return ch, nil
		}
		// The session ended after it was looked up.
		r.sessions.CompareAndDelete(name, s)
	}
}
