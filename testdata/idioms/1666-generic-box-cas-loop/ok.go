package a

import (
	"maps"
	"sync/atomic"
)

// Box publishes immutable values.
type Box[T any] struct {
	p atomic.Pointer[T]
}

func (b *Box[T]) Get() *T { return b.p.Load() }

func (b *Box[T]) swap(old, v *T) bool { return b.p.CompareAndSwap(old, v) }

// Edit replaces the value by what fn makes of it; fn may run more than once.
func Edit[T any](b *Box[T], fn func(cur *T) (*T, bool)) bool {
	for {
		cur := b.Get()
		next, ok := fn(cur)
		if !ok {
			return false
		}
		if b.swap(cur, next) {
			return true
		}
	}
}

type chart struct {
	edition int
	berths  map[string]string
}

// Harbour assigns berths to ships.
type Harbour struct {
	chart Box[chart]
}

func NewHarbour(berths ...string) *Harbour {
	h := &Harbour{}
	m := make(map[string]string)
	for _, b := range berths {
		m[b] = ""
	}
	h.chart.p.Store(&chart{berths: m})
	return h
}

func (c *chart) with(berth, ship string) *chart {
	m := maps.Clone(c.berths)
	m[berth] = ship
	return &chart{edition: c.edition + 1, berths: m}
}

// Moor gives a free berth to the ship.
func (h *Harbour) Moor(berth, ship string) bool {
	return Edit(&h.chart, func(cur *chart) (*chart, bool) {
		if who, ok := cur.berths[berth]; !ok || who != "" {
			return nil, false
		}
		return cur.with(berth, ship), true
	})
}

// Leave frees the berth if the ship has it.
func (h *Harbour) Leave(berth, ship string) bool {
	return Edit(&h.chart, func(cur *chart) (*chart, bool) {
		if ship == "" || cur.berths[berth] != ship {
			return nil, false
		}
		return cur.with(berth, ""), true
	})
}

// Free lists the empty berths together with the edition of the chart.
func (h *Harbour) Free() (edition int, out []string) {
	c := h.chart.Get()
	for b, ship := range c.berths {
		if ship == "" {
			out = append(out, b)
		}
	}
	return c.edition, out
}
