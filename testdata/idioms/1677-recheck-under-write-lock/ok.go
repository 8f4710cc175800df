// Package a derives chart palettes from base colours.
package a

import (
	"fmt"
	"sort"
	"sync"
)

// Shade is an RGB colour.
type Shade struct{ R, G, B uint8 }

// Palette is the list of shades of one base colour. Its usage is counted.
type Palette struct {
	Base   Shade
	Shades []Shade

	mu   sync.Mutex
	uses int
}

func (p *Palette) use() {
	p.mu.Lock()
	p.uses++
	p.mu.Unlock()
}

// Palettes keeps one palette per base colour.
type Palettes struct {
	steps int

	mu     sync.RWMutex
	byBase map[Shade]*Palette
}

// NewPalettes returns a set whose palettes have the given number of shades.
func NewPalettes(steps int) (*Palettes, error) {
	if steps < 1 || steps > 32 {
		return nil, fmt.Errorf("bad number of shades: %d", steps)
	}
	return &Palettes{steps: steps, byBase: make(map[Shade]*Palette)}, nil
}

func (s *Palettes) find(base Shade) (*Palette, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, ok := s.byBase[base]
	return p, ok
}

// Get returns the palette of a base colour. All callers share it.
func (s *Palettes) Get(base Shade) *Palette {
	p, ok := s.find(base)
	if !ok {
		p = s.add(base)
	}
	p.use()
	return p
}

func (s *Palettes) add(base Shade) *Palette {
	fresh := &Palette{Base: base, Shades: blend(base, s.steps)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.byBase[base]; ok {
		return p
	}
	s.byBase[base] = fresh
	return fresh
}

func blend(c Shade, steps int) []Shade {
	out := make([]Shade, steps)
	for i := range out {
		f := func(v uint8) uint8 { return uint8(int(v) + (255-int(v))*i/steps) }
		out[i] = Shade{f(c.R), f(c.G), f(c.B)}
	}
	return out
}

// Uses lists how often the palettes were asked for, in ascending order.
func (s *Palettes) Uses() []int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []int
	for _, p := range s.byBase {
		p.mu.Lock()
		out = append(out, p.uses)
		p.mu.Unlock()
	}
	sort.Ints(out)
	return out
}
