// Package ok reports whether a server serves what it was assigned.
package ok

import (
	"fmt"
	"sort"
	"sync"
	"time"
)

type assignment struct {
	name    string
	created time.Time
}

type stream struct {
	mu      sync.RWMutex
	name    string
	applied uint64
	target  uint64
	closed  bool
}

func (s *stream) progress(applied, target uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if applied > s.applied {
		s.applied = applied
	}
	s.target = target
}

func (s *stream) current() (bool, string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return false, "closed"
	}
	if s.applied < s.target {
		return false, fmt.Sprintf("behind by %d", s.target-s.applied)
	}
	return true, ""
}

func (s *stream) stop() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}

// Server holds assignments, and streams that are started for them later.
type Server struct {
	mu       sync.RWMutex
	assigned map[string]*assignment
	streams  map[string]*stream
	wg       sync.WaitGroup
}

// New returns a server without assignments.
func New() *Server {
	return &Server{assigned: make(map[string]*assignment), streams: make(map[string]*stream)}
}

// Assign makes the server serve a stream.
func (s *Server) Assign(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.assigned[name] != nil {
		return
	}
	a := &assignment{name: name, created: time.Now()}
	s.assigned[name] = a
	s.wg.Add(1)
	go s.start(a)
}

func (s *Server) start(a *assignment) {
	defer s.wg.Done()
	st := &stream{name: a.name}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.assigned[a.name] != a {
		return
	}
	s.streams[a.name] = st
}

// Unassign stops a stream.
func (s *Server) Unassign(name string) {
	s.mu.Lock()
	delete(s.assigned, name)
	st := s.streams[name]
	delete(s.streams, name)
	s.mu.Unlock()
	if st != nil {
		st.stop()
	}
}

// Progress is called by the replication.
func (s *Server) Progress(name string, applied, target uint64) {
	if st := s.lookup(name); st != nil {
		st.progress(applied, target)
	}
}

func (s *Server) lookup(name string) *stream {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.streams[name]
}

func (s *Server) isAssigned(a *assignment) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.assigned[a.name] == a
}

// Health lists what is not as it should be.
func (s *Server) Health() []string {
	s.mu.RLock()
	todo := make([]*assignment, 0, len(s.assigned))
	for _, a := range s.assigned {
		todo = append(todo, a)
	}
	s.mu.RUnlock()
	sort.Slice(todo, func(i, j int) bool { return todo[i].name < todo[j].name })

	var out []string
	for _, a := range todo {
		st := s.lookup(a.name)
		if st == nil {
			if s.isAssigned(a) {
				out = append(out, fmt.Sprintf("stream %s is not found", a.name))
			}
			continue
		}
		if ok, why := st.current(); !ok && s.isAssigned(a) {
			out = append(out, fmt.Sprintf("stream %s is %s", a.name, why))
		}
	}
	return out
}

// Wait waits until all streams are started.
func (s *Server) Wait() { s.wg.Wait() }
