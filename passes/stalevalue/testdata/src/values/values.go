// Package values carries stale values from one critical section to the next by
// all the ways that Go has.
package values

import (
	"errors"
	"strconv"
	"strings"
	"sync"
)

type gauge struct {
	mu    sync.Mutex
	level int
	label string
	tags  []string
	point point
	cells [4]int
	byID  map[int]int
}

type point struct{ x, y int }

type Gauge struct{ gauge }

func New() *Gauge { return &Gauge{gauge{byID: make(map[int]int)}} }

// Set is the writer that interferes with all others.
func (g *gauge) Set(level int, label string, p point) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.level, g.label, g.point = level, label, p
	g.tags = append(g.tags, label)
	g.cells[level&3] = level
	g.byID[level] = level
}

// Local: through locals and arithmetic.
func (g *gauge) Local() {
	g.mu.Lock()
	a := g.level
	g.mu.Unlock()
	b := a + 1
	c := b * b
	g.mu.Lock()
	g.level = c // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// Phi: one of two values is the stale one.
func (g *gauge) Phi(reset bool) {
	g.mu.Lock()
	v := g.level
	g.mu.Unlock()
	if reset {
		v = 0
	}
	g.mu.Lock()
	g.level = v // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// Overwritten: what is written does not come from what was read.
func (g *gauge) Overwritten(n int) {
	g.mu.Lock()
	v := g.level
	g.mu.Unlock()
	println(v)
	v = n
	g.mu.Lock()
	g.level = v
	g.mu.Unlock()
}

// StructField: through the field of a local struct.
func (g *gauge) StructField() {
	var state struct {
		now, old int
	}
	g.mu.Lock()
	state.now = g.level
	g.mu.Unlock()
	state.old = state.now
	g.mu.Lock()
	g.level = state.old << 1 // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// StructPointer: through a struct that only this function knows.
func (g *gauge) StructPointer() {
	type scratch struct{ n int }
	s := &scratch{}
	g.mu.Lock()
	s.n = g.level
	g.mu.Unlock()
	s.n *= 3
	g.mu.Lock()
	g.level = s.n // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// Array: through an element of a local array.
func (g *gauge) Array() {
	var hist [2]int
	g.mu.Lock()
	hist[0] = g.level
	g.mu.Unlock()
	hist[1] = hist[0] * 2
	g.mu.Lock()
	g.level = hist[1] // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// LocalMap: through a local map.
func (g *gauge) LocalMap() {
	m := map[string]int{}
	g.mu.Lock()
	m["level"] = g.level
	g.mu.Unlock()
	m["level"] *= 2
	g.mu.Lock()
	g.level = m["level"] // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// Slice: through elements of a local slice.
func (g *gauge) Slice() {
	var list []int
	g.mu.Lock()
	list = append(list, g.level)
	g.mu.Unlock()
	sum := 0
	for _, n := range list {
		sum += n * n
	}
	g.mu.Lock()
	g.level = sum // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// Copy: a struct is copied under the lock and the copy is written back.
func (g *gauge) Copy(dx int) {
	g.mu.Lock()
	p := g.point
	g.mu.Unlock()
	p.x += dx
	g.mu.Lock()
	g.point = p // want `lost-update: g\.point was read`
	g.mu.Unlock()
}

func (g *gauge) CopyAtOnce(dx int) {
	g.mu.Lock()
	p := g.point
	p.x += dx
	g.point = p
	g.mu.Unlock()
}

// Part: one field of a struct comes back.
func (g *gauge) Part() {
	g.mu.Lock()
	x := g.point.x
	g.mu.Unlock()
	g.mu.Lock()
	g.point.x = -x // want `lost-update: g\.point\.x was read`
	g.mu.Unlock()
}

// Text: through conversions and library calls.
func (g *gauge) Text() {
	g.mu.Lock()
	s := g.label
	g.mu.Unlock()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		n = 0
	}
	g.mu.Lock()
	g.label = strconv.Itoa(n + 1) // want `lost-update: g\.label was read`
	g.mu.Unlock()
}

// Any: through an interface and back.
func (g *gauge) Any() {
	g.mu.Lock()
	var v any = g.level
	g.mu.Unlock()
	n, ok := v.(int)
	if !ok {
		return
	}
	g.mu.Lock()
	g.level = n * 2 // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// Helper: through a function of this package.
func (g *gauge) Helper() {
	g.mu.Lock()
	n := g.level
	g.mu.Unlock()
	n = scale(n, 3)
	g.mu.Lock()
	g.level = n // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

func scale(n, by int) int {
	if by == 0 {
		return 0
	}
	return n * by
}

// Variadic and several results.
func (g *gauge) Variadic() {
	g.mu.Lock()
	a, b := g.cells[0], g.cells[1]
	g.mu.Unlock()
	lo, _ := bounds(a, b, 7)
	g.mu.Lock()
	g.cells[0] = lo // want `lost-update: g\.cells\[0\] was read`
	g.mu.Unlock()
}

func bounds(ns ...int) (lo, hi int) {
	lo, hi = ns[0], ns[0]
	for _, n := range ns[1:] {
		lo, hi = min(lo, n), max(hi, n)
	}
	return lo, hi
}

// ImmediateRead: the literal reads, with a deferred unlock.
func (g *gauge) ImmediateRead() {
	n := func() int {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.level
	}()
	g.mu.Lock()
	g.level = n * 2 // want `lost-update: g\.level was read`
	g.mu.Unlock()
}

// Named: a named result, written in a deferred function.
func (g *gauge) Named() (n int, err error) {
	g.mu.Lock()
	n = g.level
	g.mu.Unlock()
	if n < 0 {
		return 0, errors.New("negative")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.level = n - n/10 // want `lost-update: g\.level was read`
	return n, nil
}

// Switched: a decision by switch, not by if.
func (g *gauge) Switched() {
	g.mu.Lock()
	n := g.level
	g.mu.Unlock()
	next := 0
	switch {
	case n > 100:
		next = 50
	case n > 10:
		next = 5
	}
	g.mu.Lock()
	g.level = next // want `(lost-update|check-then-act): g\.level was (read|checked)`
	g.mu.Unlock()
}

// MapKey: the same element.
func (g *gauge) MapKey(id int) {
	g.mu.Lock()
	n := g.byID[id]
	g.mu.Unlock()
	g.mu.Lock()
	g.byID[id] = n * 2 // want `lost-update: g\.byID\[id\] was read`
	g.mu.Unlock()
}

// OtherKey: another element, which the first says nothing about.
func (g *gauge) OtherKey(id, other int) {
	g.mu.Lock()
	n := g.byID[id]
	g.mu.Unlock()
	g.mu.Lock()
	g.byID[other] = n * 2
	g.mu.Unlock()
}

// ConstKeys: other constants.
func (g *gauge) ConstKeys() {
	g.mu.Lock()
	n := g.byID[1]
	g.mu.Unlock()
	g.mu.Lock()
	g.byID[2] = n * 2
	g.mu.Unlock()
}

// OtherIndex: another element of an array.
func (g *gauge) OtherIndex() {
	g.mu.Lock()
	n := g.cells[2]
	g.mu.Unlock()
	g.mu.Lock()
	g.cells[3] = n * 2
	g.mu.Unlock()
}

// WholeMap: a copy of the map replaces the map.
func (g *gauge) WholeMap(id int) {
	next := make(map[int]int)
	g.mu.Lock()
	for k, v := range g.byID {
		next[k] = v
	}
	g.mu.Unlock()
	delete(next, id)
	g.mu.Lock()
	g.byID = next // want `lost-update: g\.byID.* was read`
	g.mu.Unlock()
}

func (g *gauge) WholeMapAtOnce(id int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	next := make(map[int]int)
	for k, v := range g.byID {
		if k != id {
			next[k] = v
		}
	}
	g.byID = next
}

func (g *gauge) MissingAtOnce(tag string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range g.tags {
		if t == tag {
			return
		}
	}
	g.tags = append(g.tags, tag)
}
