// Package a manages the list of guests who wait for a table.
package a

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Party is a group of guests at the door.
type Party struct {
	Name  string
	Size  int
	Since time.Time
}

// Waitlist is the queue of a restaurant, the oldest party first.
type Waitlist struct {
	mu      *sync.RWMutex
	parties []Party
}

// ErrNotWaiting is returned for a party that is not on the list.
var ErrNotWaiting = errors.New("party is not waiting")

// NewWaitlist returns an empty list.
func NewWaitlist() *Waitlist {
	return &Waitlist{mu: new(sync.RWMutex)}
}

// Add puts a party at the end of the list.
func (w *Waitlist) Add(name string, size int) error {
	if name == "" || size <= 0 {
		return fmt.Errorf("bad party %q of %d", name, size)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.parties, named(name)) {
		return fmt.Errorf("%s is waiting already", name)
	}
	w.parties = append(w.parties, Party{Name: name, Size: size, Since: time.Now()})
	return nil
}

func named(name string) func(Party) bool {
	return func(p Party) bool { return p.Name == name }
}

// Position returns the place of a party in the queue, counted from 0, or -1.
func (w *Waitlist) Position(name string) int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return slices.IndexFunc(w.parties, named(name))
}

// Seat takes the first party off the list that fits a table.
func (w *Waitlist) Seat(chairs int) (Party, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, p := range w.parties {
		if p.Size <= chairs {
			w.parties = slices.Delete(w.parties, i, i+1)
			return p, true
		}
	}
	return Party{}, false
}

// Cancel takes a party off the list that does not want to wait any longer.
func (w *Waitlist) Cancel(name string) error {
	i := w.Position(name)
	if i < 0 {
		return fmt.Errorf("%s: %w", name, ErrNotWaiting)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parties = slices.Delete(w.parties, i, i+1)
	return nil
}

// Guests is the number of people at the door.
func (w *Waitlist) Guests() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	n := 0
	for _, p := range w.parties {
		n += p.Size
	}
	return n
}
