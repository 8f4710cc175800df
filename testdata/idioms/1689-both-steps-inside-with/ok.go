// Package a keeps the inventory of a laboratory's freezers.
package a

import (
	"errors"
	"fmt"
	"sync"
)

// Guarded is a value that is only reached while its lock is held.
type Guarded[T any] struct {
	mu sync.Mutex
	v  T
}

// With runs fn on the value.
func (g *Guarded[T]) With(fn func(*T) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return fn(&g.v)
}

// ErrShort is returned when there are not enough vials.
var ErrShort = errors.New("not enough vials")

type stock struct {
	vials    map[string]int
	reserved map[string]int
	opened   int
}

func (s *stock) available(sample string) int {
	return s.vials[sample] - s.reserved[sample]
}

func (s *stock) deduct(sample string, n int) {
	s.vials[sample] -= n
	if s.vials[sample] == 0 {
		delete(s.vials, sample)
	}
	s.opened++
}

// Freezer is one freezer.
type Freezer struct {
	name  string
	stock Guarded[stock]
}

// NewFreezer returns an empty freezer.
func NewFreezer(name string) *Freezer {
	f := &Freezer{name: name}
	f.stock.v = stock{vials: make(map[string]int), reserved: make(map[string]int)}
	return f
}

// Store puts n vials of a sample in.
func (f *Freezer) Store(sample string, n int) error {
	if n <= 0 {
		return fmt.Errorf("store %d vials", n)
	}
	return f.stock.With(func(s *stock) error {
		s.vials[sample] += n
		s.opened++
		return nil
	})
}

// Take removes n vials of a sample that are not reserved.
func (f *Freezer) Take(sample string, n int) error {
	if n <= 0 {
		return fmt.Errorf("take %d vials", n)
	}
	return f.stock.With(func(s *stock) error {
		if have := s.available(sample); have < n {
			return fmt.Errorf("freezer %s has %d of %s: %w", f.name, have, sample, ErrShort)
		}
		s.deduct(sample, n)
		return nil
	})
}

// Reserve keeps n vials of a sample from being taken.
func (f *Freezer) Reserve(sample string, n int) error {
	if n <= 0 {
		return fmt.Errorf("reserve %d vials", n)
	}
	return f.stock.With(func(s *stock) error {
		if s.available(sample) < n {
			return ErrShort
		}
		s.reserved[sample] += n
		return nil
	})
}
