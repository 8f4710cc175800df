// Package voyage plans the voyages of a coastal shipping company and keeps
// the plans that the ships and the offices work with.
package voyage

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Errors of planning.
var (
	ErrExists  = errors.New("voyage: there is a voyage of that name")
	ErrUnknown = errors.New("voyage: no such voyage")
	ErrNoLegs  = errors.New("voyage: no legs")
)

// Leg is the way from one port to the next.
type Leg struct {
	From, To string
	Miles    float64
}

// Voyage is a plan. Once it is in a Book, the ship and the offices change it
// at the same time.
type Voyage struct {
	name string

	mu    sync.Mutex
	legs  []Leg
	knots float64
	fuel  float64 // tons to take on, for the legs at the speed
}

// burn is the fuel for a distance at a speed, in tons.
func burn(miles, knots float64) float64 { return miles * knots * knots * 2.6e-4 }

func total(legs []Leg) float64 {
	var sum float64
	for _, l := range legs {
		sum += l.Miles
	}
	return sum
}

// Miles returns the length of the voyage.
func (v *Voyage) Miles() float64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return total(v.legs)
}

// AddLeg adds a leg to the end of the voyage. It has to begin where the
// voyage ends so far.
func (v *Voyage) AddLeg(l Leg) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.legs); n > 0 && v.legs[n-1].To != l.From {
		return fmt.Errorf("voyage: %s ends in %s, not in %s", v.name, v.legs[n-1].To, l.From)
	}
	v.legs = append(v.legs, l)
	v.fuel = burn(total(v.legs), v.knots)
	return nil
}

// SetSpeed changes the speed of the voyage.
func (v *Voyage) SetSpeed(knots float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.knots = knots
	v.fuel = burn(total(v.legs), knots)
}

// Summary returns a line for the notice board.
func (v *Voyage) Summary() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.legs) == 0 {
		return v.name + ": not planned yet"
	}
	ports := []string{v.legs[0].From}
	for _, l := range v.legs {
		ports = append(ports, l.To)
	}
	return fmt.Sprintf("%s: %s, %.0f nm at %.1f kn, %.1f t", v.name, strings.Join(ports, " - "), total(v.legs), v.knots, v.fuel)
}

// Book holds the plans by name. It is safe for concurrent use.
type Book struct {
	mu      sync.RWMutex
	voyages map[string]*Voyage
}

// NewBook returns an empty book.
func NewBook() *Book { return &Book{voyages: make(map[string]*Voyage)} }

// Plan makes a voyage that takes no longer at sea than the given time and
// enters it into the book.
func (b *Book) Plan(name string, legs []Leg, atSea time.Duration) (*Voyage, error) {
	if atSea <= 0 {
		return nil, errors.New("voyage: no time at sea")
	}
	v := &Voyage{name: name}
	for _, l := range legs {
		if err := v.AddLeg(l); err != nil {
			return nil, err
		}
	}
	miles := v.Miles()
	if miles == 0 {
		return nil, ErrNoLegs
	}
	v.SetSpeed(miles / atSea.Hours())
	if err := b.enter(v); err != nil {
		return nil, err
	}
	return v, nil
}

// enter makes a voyage known under its name.
func (b *Book) enter(v *Voyage) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, dup := b.voyages[v.name]; dup {
		return fmt.Errorf("%w: %s", ErrExists, v.name)
	}
	b.voyages[v.name] = v
	return nil
}

// Voyage returns the plan of a name.
func (b *Book) Voyage(name string) (*Voyage, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	v, ok := b.voyages[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return v, nil
}
