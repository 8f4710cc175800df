// Package garage is the back end of the barriers of a parking garage.
package garage

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrFull      = errors.New("garage: no free space")
	ErrDuplicate = errors.New("garage: plate is already inside")
	ErrNotHere   = errors.New("garage: plate is not on that level")
	ErrLevel     = errors.New("garage: no such level")
)

type Cents int64

type car struct {
	plate   string
	entered time.Time
}

type level struct {
	name string
	size int

	mu       sync.Mutex
	cars     map[string]car
	reserved int
}

// reserve keeps a space for a car that is about to come.
func (l *level) reserve() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.cars)+l.reserved >= l.size {
		return false
	}
	l.reserved++
	return true
}

func (l *level) unreserve() {
	l.mu.Lock()
	l.reserved--
	l.mu.Unlock()
}

// put parks the car on a reserved space.
func (l *level) put(c car) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved--
	l.cars[c.plate] = c
}

func (l *level) take(plate string) (car, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.cars[plate]
	if ok {
		delete(l.cars, plate)
	}
	return c, ok
}

// Tariff prices a stay.
type Tariff interface {
	Stay(d time.Duration) Cents
	LostTicket() Cents
}

type Garage struct {
	tariff Tariff
	levels []*level
	inside sync.Map // plate -> struct{}, against double entry
	lost   atomic.Int64
}

func New(t Tariff, sizes map[string]int) *Garage {
	g := &Garage{tariff: t}
	for name, n := range sizes {
		g.levels = append(g.levels, &level{name: name, size: n, cars: make(map[string]car)})
	}
	return g
}

func (g *Garage) level(name string) (*level, error) {
	for _, l := range g.levels {
		if l.name == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrLevel, name)
}

// Enter opens the barrier for a plate and sends it to the first level with room.
func (g *Garage) Enter(plate string) (string, error) {
	if _, dup := g.inside.LoadOrStore(plate, struct{}{}); dup {
		return "", ErrDuplicate
	}
	for _, l := range g.levels {
		if l.reserve() {
			l.put(car{plate: plate, entered: time.Now()})
			return l.name, nil
		}
	}
	g.inside.Delete(plate)
	return "", ErrFull
}

// Relocate books a car onto another level, as the floor sensors report it.
func (g *Garage) Relocate(plate, from, to string) error {
	src, err := g.level(from)
	if err != nil {
		return err
	}
	dst, err := g.level(to)
	if err != nil {
		return err
	}
	if !dst.reserve() {
		return ErrFull
	}
	c, ok := src.take(plate)
	if !ok {
		dst.unreserve()
		return ErrNotHere
	}
	dst.put(c)
	return nil
}

// Exit takes the car out and returns what has to be paid. A plate that is on no level
// is somebody without a ticket.
func (g *Garage) Exit(plate string) Cents {
	defer g.inside.Delete(plate)
	for _, l := range g.levels {
		if c, ok := l.take(plate); ok {
			return g.tariff.Stay(time.Since(c.entered))
		}
	}
	g.lost.Add(1)
	return g.tariff.LostTicket()
}

func (g *Garage) ServeExit(w http.ResponseWriter, r *http.Request) {
	plate := r.FormValue("plate")
	if plate == "" {
		http.Error(w, "plate missing", http.StatusBadRequest)
		return
	}
	due := g.Exit(plate)
	fmt.Fprintf(w, "%d.%02d\n", due/100, due%100)
}
