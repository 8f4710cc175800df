package reach

import "sync"

// What was found out and no writer can undo.

type slot struct{ n int }

type shelf struct {
	mu    sync.Mutex
	slots map[string]*slot
	free  int
	ready bool
	last  *slot
	old   int
}

func (s *shelf) take(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.slots, k)
}

func (s *shelf) has(k string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.slots[k]
	return ok
}

// Others only take elements away: what was absent stays so.
func (s *shelf) Note(k string) {
	if !s.has(k) {
		s.mu.Lock()
		delete(s.slots, "all")
		s.old++
		s.mu.Unlock()
	}
}

type gauge2 struct {
	mu    sync.Mutex
	users int
	idle  bool
}

func (g *gauge2) Enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users++
	g.idle = false
}

// Users only come: who has seen one still sees one.
func (g *gauge2) Wake() {
	g.mu.Lock()
	busy := g.users > 0
	g.mu.Unlock()
	if busy {
		g.mu.Lock()
		g.idle = false
		g.mu.Unlock()
	}
}

// Whoever saw none may be wrong by now.
func (g *gauge2) Sleep() {
	g.mu.Lock()
	none := g.users == 0
	g.mu.Unlock()
	if none {
		g.mu.Lock()
		g.idle = true // want `check-then-act: g\.users was checked`
		g.mu.Unlock()
	}
}
