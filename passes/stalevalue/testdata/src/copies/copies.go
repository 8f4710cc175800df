// Package copies has structs that are copied out of the shared state, and fields of the copies.
package copies

import (
	"sync"
)

type move struct {
	name  string
	tries int
	state string
}

type Board struct {
	mu    sync.Mutex
	moves map[string]*move
	conf  config
	table *sync.Map
}

type config struct{ width, height int }

func (b *Board) find(name string) (move, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, ok := b.moves[name]
	if !ok {
		return move{}, false
	}
	return *m, true
}

func (b *Board) Try(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moves[name].tries++
}

func (b *Board) Retry(name string) {
	m, ok := b.find(name)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moves[name].tries = m.tries + 1 // want `lost-update: b.moves\[…\].tries was read`
}

func (b *Board) Limit(name string) bool {
	m, ok := b.find(name)
	if !ok || m.tries > 3 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moves[name].tries += 2 // want `check-then-act: b.moves\[…\].tries was checked`
	return true
}

// LimitAgain looks at the field itself.
func (b *Board) LimitAgain(name string) bool {
	m, ok := b.find(name)
	if !ok || m.tries > 3 {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.moves[name].tries > 3 {
		return false
	}
	b.moves[name].tries += 2
	return true
}

// Own changes its own copy.
func (b *Board) Own(name string) int {
	m, _ := b.find(name)
	m.tries++
	m.tries *= 2
	return m.tries
}

func (b *Board) size() config {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conf
}

func (b *Board) Resize(w, h int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conf.width, b.conf.height = w, h
}

func (b *Board) Widen() {
	c := b.size()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conf.width = c.width + 1 // want `lost-update: b.conf.width was read`
}

// begin claims a move: it has to be waiting, and is then running.
func (b *Board) begin(name string) (move, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, ok := b.moves[name]
	if !ok || m.state != "waiting" {
		return move{}, false
	}
	m.state = "running"
	return *m, true
}

func (b *Board) end(name string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moves[name].width(n)
	b.moves[name].state = "waiting"
}

func (m *move) width(n int) { m.tries = n }

// Play is the only one that has the move.
func (b *Board) Play(name string) {
	if m, ok := b.begin(name); ok {
		b.end(name, m.tries+1)
	}
}

// Entry has the table as a pointer, which is loaded without a lock.
func (b *Board) Entry(name string) *move {
	if m, ok := b.table.Load(name); ok {
		return m.(*move)
	}
	m := &move{name: name, tries: len(b.table2())}
	b.table.Store(name, m) // want `check-then-act: b.table\[name\] was checked`
	return m
}

func (b *Board) table2() []int { return nil }

type player struct {
	name   string
	points int
}

// A Club finds its players by their names.
type Club struct {
	mu      sync.Mutex
	players map[string]player
	stars   map[string]*player
}

func (c *Club) player(name string) (player, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.players[name]
	return p, ok
}

func (c *Club) save(p player) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.players[p.name] = p
}

func (c *Club) Score(name string, n int) {
	p, ok := c.player(name)
	if !ok {
		return
	}
	p.points += n
	c.save(p) // want `lost-update: c.players\[name\] was read`
}

// Copy saves it under another name.
func (c *Club) Copy(name, to string) {
	p, ok := c.player(name)
	if !ok {
		return
	}
	p.name = to
	c.save(p)
}

// ScoreOnce does it in one section.
func (c *Club) ScoreOnce(name string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.players[name]
	p.points += n
	c.players[p.name] = p
}

func (c *Club) star(name string) *player {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.stars[name]
	if !ok {
		return nil
	}
	own := *s
	return &own
}

func (c *Club) setStar(s *player) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := *s
	c.stars[s.name] = &own
}

func (c *Club) Shine(name string) {
	s := c.star(name)
	if s == nil {
		s = &player{name: name}
	}
	s.points++
	c.setStar(s) // want `lost-update: c.stars\[name\] was read`
}

// A Roster replaces the copies of its states, which have their own keys.
type Roster struct {
	mu     sync.Mutex
	states map[string]*state
	table  map[string]state
}

type state struct {
	name  string
	seen  int
	alive bool
}

func (r *Roster) load(name string) *state {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.states[name]
}

func (r *Roster) save(s *state) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states[s.name] = s
}

// Seen loses what others save between the two.
func (r *Roster) Seen(name string) {
	s := r.load(name)
	if s == nil {
		return
	}
	next := *s
	next.seen++
	r.save(&next) // want `lost-update: r\.states\[name\] was read at line \d+`
}

// Fork puts the copy somewhere else.
func (r *Roster) Fork(name, other string) {
	s := r.load(name)
	if s == nil {
		return
	}
	next := *s
	next.name = other
	r.save(&next)
}

// SeenAtOnce is one section.
func (r *Roster) SeenAtOnce(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := *r.states[name]
	next.seen++
	r.states[next.name] = &next
}
