package mechanisms

import (
	"errors"
	"sync"
)

type guests struct {
	mu     sync.Mutex
	byName map[string]int
}

func (g *guests) known(name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.byName[name]; ok {
		return errors.New("known")
	}
	return nil
}

func (g *guests) put(name string, seat int) {
	g.mu.Lock()
	g.byName[name] = seat
	g.mu.Unlock()
}

// Seat learns from the error whether there is an element.
func (g *guests) Seat(name string, seat int) error {
	if err := g.known(name); err != nil {
		return err
	}
	g.put(name, seat) // want `check-then-act: g\.byName\[name\] was checked at line \d+`
	return nil
}
