package a

import "sync"

type guard struct {
	mu sync.Mutex
}

func (g *guard) enter() func() {
	g.mu.Lock()
	return g.mu.Unlock
}

type level struct {
	free   int
	height int
}

func (l *level) spaces() int { return l.free }

func (l *level) setSpaces(n int) { l.free = n }

type counters struct {
	in, out, turned int
}

func (c *counters) entered() { c.in++ }

func (c *counters) left() { c.out++ }

func (c *counters) sentAway() { c.turned++ }

// Garage is a car park with several levels.
type Garage struct {
	guard
	counters
	levels []*level
	cars   map[string]int
}

func NewGarage(spaces ...int) *Garage {
	g := &Garage{cars: make(map[string]int)}
	for _, n := range spaces {
		g.levels = append(g.levels, &level{free: n, height: 200})
	}
	return g
}

func (g *Garage) pick() (int, bool) {
	for i, l := range g.levels {
		if l.spaces() > 0 {
			return i, true
		}
	}
	return 0, false
}

// Enter finds a level for the car.
func (g *Garage) Enter(plate string) (lvl int, ok bool) {
	defer g.enter()()
	if lvl, ok = g.cars[plate]; ok {
		return lvl, true
	}
	lvl, ok = g.pick()
	if !ok {
		g.sentAway()
		return 0, false
	}
	l := g.levels[lvl]
	l.setSpaces(l.spaces() - 1)
	g.cars[plate] = lvl
	g.entered()
	return lvl, true
}

// Leave lets the car out.
func (g *Garage) Leave(plate string) bool {
	defer g.enter()()
	lvl, ok := g.cars[plate]
	if !ok {
		return false
	}
	delete(g.cars, plate)
	l := g.levels[lvl]
	l.setSpaces(l.spaces() + 1)
	g.left()
	return true
}

// Inside counts the cars.
func (g *Garage) Inside() int {
	defer g.enter()()
	return g.in - g.out
}
