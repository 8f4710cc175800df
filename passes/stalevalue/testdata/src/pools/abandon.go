package pools

import (
	"slices"
	"sync"
)

// A tail is taken out of the table when it is empty.
type tail struct {
	labels string

	mu    sync.Mutex
	lines []string
	dead  bool
}

type Tails struct {
	mu  sync.Mutex
	all map[string]*tail
}

func (s *Tails) get(labels string) *tail {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.all[labels]
	if x == nil {
		x = &tail{labels: labels}
		s.all[labels] = x
	}
	return x
}

func (s *Tails) Push(labels, line string) {
	x := s.get(labels)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lines = append(x.lines, line) // want `check-then-act: s.all\[labels\] was found at line \d+; .* may take it out in between, as tail.lines says that it is not needed`
}

// Remove may take out what Push has filled meanwhile.
func (s *Tails) Remove(x *tail) {
	x.mu.Lock()
	x.lines = slices.DeleteFunc(x.lines, func(l string) bool { return l == "" })
	empty := len(x.lines) == 0
	x.mu.Unlock()
	if empty {
		s.mu.Lock()
		if s.all[x.labels] == x {
			delete(s.all, x.labels) // want `check-then-act: x\.lines was checked`
		}
		s.mu.Unlock()
	}
}

// RemoveAtOnce holds both locks.
func (s *Tails) RemoveAtOnce(x *tail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.lines) == 0 && s.all[x.labels] == x {
		delete(s.all, x.labels)
	}
}

// RemoveDead marks it before: who has found it looks for another one.
func (s *Tails) RemoveDead(x *tail) {
	x.mu.Lock()
	empty := len(x.lines) == 0
	if empty {
		x.dead = true
	}
	x.mu.Unlock()
	if empty {
		s.mu.Lock()
		delete(s.all, x.labels)
		s.mu.Unlock()
	}
}

// Sweep trims each object as it is by then.
func (s *Tails) Sweep() {
	s.mu.Lock()
	var all []*tail
	for _, x := range s.all {
		all = append(all, x)
	}
	s.mu.Unlock()
	for _, x := range all {
		s.trim(x)
	}
}

func (s *Tails) trim(x *tail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lines = slices.DeleteFunc(x.lines, func(l string) bool { return l == "" })
	if len(x.lines) == 0 && s.all[x.labels] == x {
		delete(s.all, x.labels)
	}
}
