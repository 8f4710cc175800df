package a

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

var (
	ErrFull    = errors.New("garage: level is full")
	ErrNoLevel = errors.New("garage: no such level")
)

// Ticket says where a car stands.
type Ticket struct {
	Level string
	Space int
	Plate string
}

type level struct {
	name string

	mu     sync.Mutex
	taken  map[int]string // space -> plate
	unused []int
}

func newLevel(name string, spaces int) *level {
	l := &level{name: name, taken: make(map[int]string)}
	for i := spaces; i > 0; i-- {
		l.unused = append(l.unused, i)
	}
	return l
}

func (l *level) hasSpace() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.unused) > 0
}

func (l *level) reserve(plate string) (space int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.unused) == 0 {
		return 0, false
	}
	last := len(l.unused) - 1
	space = l.unused[last]
	l.unused = l.unused[:last]
	l.taken[space] = plate
	return space, true
}

func (l *level) free(space int, plate string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.taken[space]; ok && p == plate {
		delete(l.taken, space)
		l.unused = append(l.unused, space)
	}
}

// Garage assigns spaces. Its levels never change.
type Garage struct {
	levels     map[string]*level
	turnedAway atomic.Int64
}

func NewGarage(spaces map[string]int) *Garage {
	g := &Garage{levels: make(map[string]*level)}
	for name, n := range spaces {
		g.levels[name] = newLevel(name, n)
	}
	return g
}

// Enter finds a space for a car on the level that the driver has chosen.
func (g *Garage) Enter(name, plate string) (Ticket, error) {
	l, ok := g.levels[name]
	if !ok {
		return Ticket{}, ErrNoLevel
	}
	if !l.hasSpace() {
		g.turnedAway.Add(1)
		return Ticket{}, ErrFull
	}
	log.Printf("opening %s for %s", name, plate)
	space, ok := l.reserve(plate)
	if !ok {
		g.turnedAway.Add(1)
		return Ticket{}, ErrFull
	}
	return Ticket{Level: name, Space: space, Plate: plate}, nil
}

// Exit gives the space of a car back.
func (g *Garage) Exit(t Ticket) {
	if l, ok := g.levels[t.Level]; ok {
		l.free(t.Space, t.Plate)
	}
}

// Entrance is a barrier with a camera in front of one level.
type Entrance struct {
	Level  string
	Plates <-chan string
	Print  func(Ticket)
}

// Run serves the entrances and the exit machine.
func (g *Garage) Run(in []Entrance, out <-chan Ticket) {
	var wg sync.WaitGroup
	for _, e := range in {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for plate := range e.Plates {
				t, err := g.Enter(e.Level, plate)
				if err != nil {
					log.Printf("turning %s away: %v", plate, err)
					continue
				}
				e.Print(t)
			}
		}()
	}
	for t := range out {
		g.Exit(t)
	}
	wg.Wait()
}
