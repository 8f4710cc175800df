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

// Others only append: the first one stays where it is.

type jobs struct {
	mu      sync.Mutex
	pending []func()
	wake    chan struct{}
}

func NewJobs() *jobs {
	j := &jobs{wake: make(chan struct{}, 1)}
	go j.run()
	return j
}

func (j *jobs) Add(f func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = append(j.pending, f)
}

func (j *jobs) run() {
	for range j.wake {
		j.mu.Lock()
		var f func()
		some := len(j.pending) > 0
		if some {
			f = j.pending[0]
		}
		j.mu.Unlock()
		if !some {
			continue
		}
		f()
		j.mu.Lock()
		j.pending = j.pending[1:]
		j.mu.Unlock()
	}
}

type lifo struct {
	mu      sync.Mutex
	pending []func()
}

func (l *lifo) Add(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, f)
}

// Any number of goroutines may take one.
func (l *lifo) Run() {
	l.mu.Lock()
	some := len(l.pending) > 0
	l.mu.Unlock()
	if some {
		l.mu.Lock()
		l.pending = l.pending[1:] // want `check-then-act: l\.pending was checked`
		l.mu.Unlock()
	}
}
