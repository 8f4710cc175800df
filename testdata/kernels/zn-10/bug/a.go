package a

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrUnknownUnit = errors.New("bloodbank: unknown unit")
	ErrDuplicate   = errors.New("bloodbank: unit already registered")
	ErrEmpty       = errors.New("bloodbank: no unit of that group")
)

// Unit is one bag.
type Unit struct {
	Code    string
	Group   string
	Expires time.Time
}

// Fridge stores the units of one site.
type Fridge struct {
	mu     sync.Mutex
	byCode map[string]Unit
	shelf  map[string][]string
	issued int
}

func NewFridge() *Fridge {
	return &Fridge{byCode: make(map[string]Unit), shelf: make(map[string][]string)}
}

// Find looks a unit up by its code.
func (f *Fridge) Find(code string) (Unit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u, ok := f.byCode[code]
	if !ok {
		return Unit{}, fmt.Errorf("%w: %s", ErrUnknownUnit, code)
	}
	return u, nil
}

func (f *Fridge) shelve(u Unit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byCode[u.Code] = u
	f.shelf[u.Group] = append(f.shelf[u.Group], u.Code)
	return nil
}

// Register takes in a unit that was just delivered.
func (f *Fridge) Register(u Unit) error {
	if u.Code == "" || time.Now().After(u.Expires) {
		return fmt.Errorf("bloodbank: unit %q refused", u.Code)
	}
	_, err := f.Find(u.Code)
	switch {
	case errors.Is(err, ErrUnknownUnit):
		return f.shelve(u)
	case err != nil:
		return err
	}
	return ErrDuplicate
}

// Issue hands out the unit of the group that came first.
func (f *Fridge) Issue(group string) (Unit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.shelf[group]
	if len(q) == 0 {
		return Unit{}, ErrEmpty
	}
	u := f.byCode[q[0]]
	f.shelf[group] = q[1:]
	delete(f.byCode, u.Code)
	f.issued++
	return u, nil
}

// Level tells how many units of a group there are.
func (f *Fridge) Level(group string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.shelf[group])
}
