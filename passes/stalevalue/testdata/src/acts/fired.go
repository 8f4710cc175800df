package acts

import (
	"sync"
	"sync/atomic"
)

// An event happens once. Who asks whether it has happened does not go through the sync.Once.
type event struct {
	once  sync.Once
	fired atomic.Bool
}

func (e *event) fire() { e.once.Do(func() { e.fired.Store(true) }) }

// A Stage is closed by an event.
type Stage struct {
	mu     sync.Mutex
	done   event
	actors map[string]func()
}

// NewStage returns an empty stage.
func NewStage() *Stage { return &Stage{actors: make(map[string]func())} }

// Close sends all away.
func (s *Stage) Close() {
	s.done.fire()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, leave := range s.actors {
		leave()
	}
}

// Enter may come after all have been sent away.
func (s *Stage) Enter(name string, leave func()) {
	if s.done.fired.Load() {
		return
	}
	s.mu.Lock()
	s.actors[name] = leave // want `s.done.fired was checked at line 38`
	s.mu.Unlock()
}

// A Prop is made when it is first needed: who loads it has called the sync.Once.
type Prop struct {
	once        sync.Once
	left, right atomic.Pointer[int]
}

func (p *Prop) init() {
	p.once.Do(func() {
		p.left.Store(new(int))
		p.right.Store(new(int))
	})
}

// Sum has both.
func (p *Prop) Sum() int {
	p.init()
	a := p.left.Load()
	b := p.right.Load()
	return *a + *b
}
