package lifetimes

import (
	"sync"
	"time"
)

// A Parlour takes the games off its list in which nobody has moved for long.
type Parlour struct {
	put func(id string, moves []string)

	mu    sync.RWMutex
	games map[string]*game
}

type game struct {
	mu    sync.Mutex
	moves []string
	polls int
	last  time.Time
}

func (g *game) play(move string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.moves = append(g.moves, move)
	g.last = time.Now()
}

// touch keeps the game on the list, and has nothing to lose.
func (g *game) touch() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = time.Now()
}

func (g *game) idle(since time.Time) ([]string, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.moves...), g.last.Before(since)
}

// Move may add to a game that has just been saved.
func (c *Parlour) Move(id, move string) {
	c.mu.RLock()
	g := c.games[id]
	c.mu.RUnlock()
	if g != nil {
		g.play(move) // want `c.games\[id\] was found at line 46, .* \(\*Parlour\).Adjourn \(touched.go:\d+\) may take it out in between, as game.last says that it is not needed: what is written here is lost`
	}
}

// MoveHeld keeps Adjourn out.
func (c *Parlour) MoveHeld(id, move string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if g := c.games[id]; g != nil {
		g.play(move)
	}
}

func (c *Parlour) Watch(id string) {
	c.mu.RLock()
	g := c.games[id]
	c.mu.RUnlock()
	if g != nil {
		g.touch()
	}
}

func (c *Parlour) Adjourn(since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, g := range c.games {
		if moves, idle := g.idle(since); idle {
			c.put(id, moves)
			delete(c.games, id)
		}
	}
}

// A Post drops boxes that are empty. Who has found one asks whether it was dropped, with its lock held.
type Post struct {
	mu    sync.Mutex
	boxes map[string]*box
}

type box struct {
	mu      sync.Mutex
	letters []string
	dropped bool
}

func (p *Post) box(name string) *box {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.boxes[name]
	if !ok {
		b = &box{}
		p.boxes[name] = b
	}
	return b
}

// hold returns a box with its lock held.
func (p *Post) hold(name string) *box {
	for {
		b := p.box(name)
		b.mu.Lock()
		if !b.dropped {
			return b
		}
		b.mu.Unlock()
	}
}

func (p *Post) Deliver(name, letter string) {
	b := p.hold(name)
	defer b.mu.Unlock()
	b.letters = append(b.letters, letter)
}

func (p *Post) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, b := range p.boxes {
		b.mu.Lock()
		if len(b.letters) == 0 {
			b.dropped = true
			delete(p.boxes, name)
		}
		b.mu.Unlock()
	}
}
