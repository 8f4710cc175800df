package main

import "sync"

// What one goroutine does, one after the other.
type beacon struct {
	mu    sync.Mutex
	lit   chan struct{}
	color string
	ships map[string]bool
	sea   sea
}

type sea struct {
	mu    sync.Mutex
	crews map[string]*state
}

func (b *beacon) light(color string) {
	close(b.lit)
	b.mu.Lock()
	b.color = color
	b.mu.Unlock()
}

func (b *beacon) look() string {
	<-b.lit
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.color
}

func (s *sea) remove(ship string) {
	s.mu.Lock()
	delete(s.crews, ship)
	s.mu.Unlock()
}

func (s *sea) crew(ship string) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crews[ship]
}

func (b *beacon) sink(ship string) {
	b.sea.remove(ship)
	b.mu.Lock()
	delete(b.ships, ship)
	b.mu.Unlock()
}

func (b *beacon) call(ship string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ships[ship] {
		return b.sea.crew(ship).lo
	}
	return 0
}

var tower = &beacon{lit: make(chan struct{})}

func (b *beacon) run() {
	b.light("red")
	println(b.look())
	b.sink("Ann")
	println(b.call("Ann"))
}
