package doubts

import "sync"

type ship struct {
	mu          sync.Mutex
	speed, load int
}

// set changes both in one section.
func (s *ship) set(speed, load int) {
	s.mu.Lock()
	s.speed, s.load = speed, load
	s.mu.Unlock()
}

// A fleet has many ships.
type fleet struct {
	mu    sync.Mutex
	ships map[string]*ship
}

func (f *fleet) speed() (sum int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.ships {
		s.mu.Lock()
		sum += s.speed
		s.mu.Unlock()
	}
	return sum
}

func (f *fleet) load() (sum int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.ships {
		s.mu.Lock()
		sum += s.load
		s.mu.Unlock()
	}
	return sum
}

// Range may count a ship as it was before and as it is now.
func (f *fleet) Range() int {
	return f.speed() * f.load() // want `split-read: .* \[medium confidence: both are computed over many objects, and others change one of them\]`
}

// One has both of one ship.
func (f *fleet) One(name string) int {
	f.mu.Lock()
	s := f.ships[name]
	f.mu.Unlock()
	s.mu.Lock()
	speed := s.speed
	s.mu.Unlock()
	s.mu.Lock()
	load := s.load // want `split-read: f.ships\[…\].speed at line \d+ and f.ships\[…\].load here .* the result$`
	s.mu.Unlock()
	return speed * load
}

// An armada has ships that all change in one section.
type armada struct {
	mu    sync.Mutex
	ships map[string]*hull
}

type hull struct{ depth, draft int }

// turn changes all ships.
func (a *armada) turn(depth, draft int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.ships {
		h.depth, h.draft = depth, draft
	}
}

func (a *armada) depth() (sum int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.ships {
		sum += h.depth
	}
	return sum
}

func (a *armada) draft() (sum int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.ships {
		sum += h.draft
	}
	return sum
}

// All may have the one of all ships before the turn and the other after it.
func (a *armada) All() int {
	return a.depth() * a.draft() // want `split-read: .* the result$`
}
