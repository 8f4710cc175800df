// Package a edits the menu of a restaurant chain.
package a

import (
	"errors"
	"fmt"
	"maps"
	"sync"
)

// Prices maps dishes to cents.
type Prices map[string]int

// Menu is the set of current prices. The map in it is never modified, only
// replaced.
type Menu struct {
	mu       sync.Mutex
	prices   Prices
	revision uint64
}

// ErrBusy is returned when an edit did not get through.
var ErrBusy = errors.New("menu is being edited by others")

const attempts = 8

// NewMenu returns a menu with the given prices.
func NewMenu(p Prices) *Menu {
	return &Menu{prices: maps.Clone(p)}
}

// Current returns the prices and their revision. The map must not be changed.
func (m *Menu) Current() (Prices, uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prices, m.revision
}

func (m *Menu) replace(p Prices, base uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revision != base {
		return false
	}
	m.prices = p
	m.revision++
	return true
}

// Edit applies fn to a copy of the prices. fn may be slow, and it may be
// called more than once.
func (m *Menu) Edit(fn func(Prices) error) error {
	for range attempts {
		cur, rev := m.Current()
		next := make(Prices, len(cur))
		maps.Copy(next, cur)
		if err := fn(next); err != nil {
			return fmt.Errorf("edit menu: %w", err)
		}
		if m.replace(next, rev) {
			return nil
		}
	}
	return ErrBusy
}

// Raise makes all dishes dearer by a percentage.
func (m *Menu) Raise(percent int) error {
	return m.Edit(func(p Prices) error {
		for dish, cents := range p {
			p[dish] = cents + cents*percent/100
		}
		return nil
	})
}

// Drop takes a dish off the menu.
func (m *Menu) Drop(dish string) error {
	return m.Edit(func(p Prices) error {
		if _, ok := p[dish]; !ok {
			return fmt.Errorf("no dish %q", dish)
		}
		delete(p, dish)
		return nil
	})
}
