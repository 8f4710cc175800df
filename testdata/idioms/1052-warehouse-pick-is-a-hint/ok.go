// Package sourcing decides from which warehouse an order is shipped.
package sourcing

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrOutOfStock is returned when no warehouse has enough units.
var ErrOutOfStock = errors.New("sourcing: out of stock")

// Site is a warehouse.
type Site struct {
	Name string

	mu    sync.Mutex
	units map[string]int
}

func (s *Site) level(sku string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.units[sku]
}

func (s *Site) take(sku string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.units[sku] < n {
		return false
	}
	s.units[sku] -= n
	return true
}

// Network is a fixed set of sites.
type Network struct {
	sites    []*Site
	arrivals atomic.Uint64
}

// New returns a network of empty sites.
func New(names ...string) *Network {
	n := &Network{}
	for _, name := range names {
		n.sites = append(n.sites, &Site{Name: name, units: make(map[string]int)})
	}
	return n
}

// Receive books the arrival of goods; it reports false for an unknown site.
func (n *Network) Receive(site, sku string, units int) bool {
	for _, s := range n.sites {
		if s.Name == site {
			s.mu.Lock()
			s.units[sku] += units
			n.arrivals.Add(1)
			s.mu.Unlock()
			return true
		}
	}
	return false
}

type candidate struct {
	site  *Site
	level int
}

// ranked returns the sites, best stocked first.
func (n *Network) ranked(sku string) []candidate {
	out := make([]candidate, 0, len(n.sites))
	for _, s := range n.sites {
		out = append(out, candidate{s, s.level(sku)})
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.level, a.level) })
	return out
}

// Allocate takes units of an article from one site, preferably the one that
// has the most, and returns its name.
func (n *Network) Allocate(sku string, units int) (string, error) {
	for {
		before := n.arrivals.Load()
		for _, c := range n.ranked(sku) {
			if c.site.take(sku, units) {
				return c.site.Name, nil
			}
		}
		if n.arrivals.Load() == before {
			return "", ErrOutOfStock
		}
	}
}

// Available returns the units of an article at the best stocked site.
func (n *Network) Available(sku string) int {
	best := 0
	for _, s := range n.sites {
		best = max(best, s.level(sku))
	}
	return best
}
