package a

import (
	"cmp"
	"errors"
	"slices"
	"sync"
)

var (
	ErrFull   = errors.New("garage: full")
	ErrParked = errors.New("garage: car is inside")
)

type level struct {
	name string
	size int
	used int
}

type Garage struct {
	mu     sync.RWMutex
	levels []*level
	cars   map[string]*level
}

func NewGarage(sizes map[string]int) *Garage {
	g := &Garage{cars: make(map[string]*level)}
	for name, n := range sizes {
		g.levels = append(g.levels, &level{name: name, size: n})
	}
	slices.SortFunc(g.levels, func(a, b *level) int { return cmp.Compare(a.name, b.name) })
	return g
}

func (g *Garage) withRoom() []*level {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []*level
	for _, l := range g.levels {
		if l.used < l.size {
			out = append(out, l)
		}
	}
	return out
}

func (g *Garage) claim(l *level, plate string) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cars[plate] != nil {
		return false, ErrParked
	}
	if l.used >= l.size {
		return false, nil
	}
	l.used++
	g.cars[plate] = l
	return true, nil
}

// Enter lets prefer look at the levels, which takes some time, and parks the
// car on the one it likes best.
func (g *Garage) Enter(plate string, prefer func(level string) int) (string, error) {
	for {
		room := g.withRoom()
		if len(room) == 0 {
			return "", ErrFull
		}
		score := make(map[*level]int, len(room))
		for _, l := range room {
			score[l] = prefer(l.name)
		}
		slices.SortStableFunc(room, func(a, b *level) int { return cmp.Compare(score[b], score[a]) })
		for _, l := range room {
			ok, err := g.claim(l, plate)
			if err != nil {
				return "", err
			}
			if ok {
				return l.name, nil
			}
		}
	}
}

func (g *Garage) Leave(plate string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, ok := g.cars[plate]
	if !ok {
		return false
	}
	delete(g.cars, plate)
	l.used--
	return true
}

func (g *Garage) Parked() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.cars)
}
