package presence

import (
	"sync"
	"time"
)

type stay struct{ until time.Time }

// Guests are kept by house and name.
type Guests struct {
	mu     sync.RWMutex
	houses map[string]map[string]*stay
}

func (g *Guests) Enter(house, name string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.houses[house] == nil {
		g.houses[house] = make(map[string]*stay)
	}
	g.houses[house][name] = &stay{until}
}

func (g *Guests) Extend(house, name string, until time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.houses[house][name]
	if ok {
		s.until = until
	}
	return ok
}

// remove asks whether the guest is there, and not how long they stay.
func (g *Guests) remove(house, name string) bool {
	names := g.houses[house]
	if _, ok := names[name]; !ok {
		return false
	}
	delete(names, name)
	if len(names) == 0 {
		delete(g.houses, house)
	}
	return true
}

func (g *Guests) overdue(now time.Time) (out [][2]string) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for house, names := range g.houses {
		for name, s := range names {
			if s.until.Before(now) {
				out = append(out, [2]string{house, name})
			}
		}
	}
	return out
}

func (g *Guests) Sweep(now time.Time) {
	var out [][2]string
	g.mu.RLock()
	for house, names := range g.houses {
		for name, s := range names {
			if s.until.Before(now) {
				out = append(out, [2]string{house, name})
			}
		}
	}
	g.mu.RUnlock()
	for _, k := range out {
		g.mu.Lock()
		g.remove(k[0], k[1]) // want `g.houses was checked at line 64, but g.mu was released at line 71 and another goroutine may change it before this call of remove, which writes it`
		g.mu.Unlock()
	}
}

// SweepAgain looks at the end of each stay again.
func (g *Guests) SweepAgain(now time.Time) {
	for _, k := range g.overdue(now) {
		g.mu.Lock()
		if s, ok := g.houses[k[0]][k[1]]; ok && s.until.Before(now) {
			g.remove(k[0], k[1])
		}
		g.mu.Unlock()
	}
}
