package reach

import "sync"

// What is above zero comes back to zero, as some writer resets it.

type ballot struct {
	mu    sync.Mutex
	votes int
	names []string
	open  bool
}

func (b *ballot) Add(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.votes++
	b.names = append(b.names, name)
	b.open = false
}

func (b *ballot) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.votes = 0
	b.names = nil
	b.open = false
}

func (b *ballot) Open() {
	b.mu.Lock()
	some := b.votes > 0
	b.mu.Unlock()
	if some {
		b.mu.Lock()
		b.open = true // want `check-then-act: b\.votes was checked`
		b.mu.Unlock()
	}
}

func (b *ballot) OpenEarly() {
	b.mu.Lock()
	votes := b.votes
	b.mu.Unlock()
	if votes <= 0 {
		return
	}
	b.mu.Lock()
	b.open = true // want `check-then-act: b\.votes was checked`
	b.mu.Unlock()
}

func (b *ballot) OpenNamed() {
	b.mu.Lock()
	some := 0 < len(b.names)
	b.mu.Unlock()
	if some {
		b.mu.Lock()
		b.open = true // want `check-then-act: b\.names was checked`
		b.mu.Unlock()
	}
}

// A score that is only ever raised, or set to where it starts.
type score struct {
	mu     sync.Mutex
	points int
	won    bool
}

func (s *score) Add() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.points++
	s.won = false
}

func (s *score) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.points = 1
	s.won = false
}

func (s *score) Win() {
	s.mu.Lock()
	points := s.points
	s.mu.Unlock()
	if points < 1 {
		return
	}
	s.mu.Lock()
	s.won = true
	s.mu.Unlock()
}

// Whether there were more than three is another question.
func (s *score) WinHigh() {
	s.mu.Lock()
	points := s.points
	s.mu.Unlock()
	if points > 3 {
		s.mu.Lock()
		s.won = true // want `check-then-act: s\.points was checked`
		s.mu.Unlock()
	}
}

type podium struct {
	mu    sync.Mutex
	names []string
	even  bool
}

func (p *podium) Add(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names = append(p.names, name)
	p.even = false
}

// With one more there are three: that there are two is more than that there are some.
func (p *podium) Pair() {
	p.mu.Lock()
	two := len(p.names) == 2
	p.mu.Unlock()
	if two {
		p.mu.Lock()
		p.even = true // want `check-then-act: p\.names was checked`
		p.mu.Unlock()
	}
}

// The complement of a constant is added to an unsigned number: that subtracts.

type stock struct {
	mu   sync.Mutex
	left uint32
	open bool
}

func (s *stock) Take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left += ^uint32(0)
	s.open = false
}

func (s *stock) Open() {
	s.mu.Lock()
	some := s.left > 0
	s.mu.Unlock()
	if some {
		s.mu.Lock()
		s.open = true // want `check-then-act: s\.left was checked`
		s.mu.Unlock()
	}
}

// supply is only added to, by at most half of the range.
type supply struct {
	mu   sync.Mutex
	left uint32
	open bool
}

func (s *supply) Put() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left += 1<<31 - 1
	s.open = false
}

func (s *supply) Open() {
	s.mu.Lock()
	some := s.left > 0
	s.mu.Unlock()
	if some {
		s.mu.Lock()
		s.open = true
		s.mu.Unlock()
	}
}
