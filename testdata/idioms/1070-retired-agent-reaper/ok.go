// Package agents keeps the connected CI agents. An agent that registers again
// under its name replaces the old connection, whose builds run to their end.
package agents

import (
	"context"
	"sync"
	"time"
)

// Session is one connection of an agent.
type Session struct {
	Name string
	stop func()

	mu       sync.Mutex
	retired  bool // set once, no new builds after that
	running  int
	lastSeen time.Time
}

// Start reserves a place for a build; it fails on a retired session.
func (s *Session) Start() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired {
		return false
	}
	s.running++
	return true
}

// Done ends a build.
func (s *Session) Done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// Beat records a sign of life.
func (s *Session) Beat(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastSeen = now
}

func (s *Session) silentSince(limit time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lastSeen.Before(limit)
}

// Retire keeps the session from getting more builds.
func (s *Session) Retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
}

// Retired tells whether Retire was called.
func (s *Session) Retired() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retired
}

// Running returns the number of builds.
func (s *Session) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// Registry has the current session of each agent and the retired ones which
// are not yet closed.
type Registry struct {
	silence time.Duration

	mu      sync.Mutex
	current map[string]*Session
	all     map[*Session]struct{}
}

// New returns an empty registry.
func New(silence time.Duration) *Registry {
	return &Registry{
		silence: silence,
		current: make(map[string]*Session),
		all:     make(map[*Session]struct{}),
	}
}

// Register adds a session; stop is called once when it is closed.
func (r *Registry) Register(name string, now time.Time, stop func()) *Session {
	s := &Session{Name: name, stop: stop, lastSeen: now}
	r.mu.Lock()
	old := r.current[name]
	r.current[name] = s
	r.all[s] = struct{}{}
	r.mu.Unlock()
	if old != nil {
		old.Retire()
	}
	return s
}

// Lookup returns the current session of the agent.
func (r *Registry) Lookup(name string) (*Session, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.current[name]
	return s, ok
}

func (r *Registry) sessions() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*Session, 0, len(r.all))
	for s := range r.all {
		out = append(out, s)
	}
	return out
}

// forget reports whether the session was still known.
func (r *Registry) forget(s *Session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.all[s]; !ok {
		return false
	}
	delete(r.all, s)
	if r.current[s.Name] == s {
		delete(r.current, s.Name)
	}
	return true
}

// Reap closes the retired sessions that have nothing to do any more. A session
// which stayed silent for a whole period is retired; a late beat does not help
// it, the agent has to register again.
func (r *Registry) Reap(now time.Time) {
	for _, s := range r.sessions() {
		if s.silentSince(now.Add(-r.silence)) {
			s.Retire()
		}
		if s.Retired() && s.Running() == 0 && r.forget(s) {
			s.stop()
		}
	}
}

// Run reaps until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	t := time.NewTicker(r.silence / 4)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			r.Reap(now)
		}
	}
}
