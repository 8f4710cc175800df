package counted

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errNoScript = errors.New("no script of this name")

// A Script is freed by the last of those who have borrowed it. The table is one of them.
type Script struct {
	borrowers atomic.Int64

	mu    sync.RWMutex
	steps []string
}

func (s *Script) giveBack() {
	if s.borrowers.Add(-1) > 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = nil
}

func (s *Script) length() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.steps)
}

type Scripts struct {
	mu     sync.RWMutex
	byName map[string]*Script
}

// Load takes the table's share in the former one back.
func (s *Scripts) Load(name string, steps []string) {
	script := &Script{steps: steps}
	script.borrowers.Store(1)
	s.mu.Lock()
	old := s.byName[name]
	s.byName[name] = script
	s.mu.Unlock()
	if old != nil {
		old.giveBack()
	}
}

func (s *Scripts) Unload(name string) {
	s.mu.Lock()
	script := s.byName[name]
	delete(s.byName, name)
	s.mu.Unlock()
	if script != nil {
		script.giveBack()
	}
}

func (s *Scripts) borrow(name string) (*Script, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	script := s.byName[name]
	if script == nil {
		return nil, errNoScript
	}
	script.borrowers.Add(1)
	return script, nil
}

// Run gives back what it has borrowed.
func (s *Scripts) Run(name string) int {
	script, err := s.borrow(name)
	if err != nil {
		return 0
	}
	defer script.giveBack()
	return script.length()
}

// Peek may come to a script that has been freed.
func (s *Scripts) Peek(name string) int {
	s.mu.RLock()
	script := s.byName[name]
	s.mu.RUnlock()
	if script == nil {
		return 0
	}
	script.borrowers.Add(1) // want `check-then-act: s.byName\[name\] was checked at line \d+`
	defer script.giveBack()
	return script.length()
}
