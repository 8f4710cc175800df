package lifetimes

import "sync"

// A Grid collects the readings of meters, and forgets those that are silent. The readings that are left are taken away first.
type Grid struct {
	save func(id string, rows []float64)

	mu     sync.Mutex
	meters map[string]*meter
}

type meter struct {
	mu   sync.Mutex
	rows []float64
	seen int
	gone bool
}

func (m *meter) add(row float64, now int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows = append(m.rows, row)
	m.seen = now
}

// tryAdd asks whether the meter was forgotten.
func (m *meter) tryAdd(row float64, now int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone {
		return false
	}
	m.rows = append(m.rows, row)
	m.seen = now
	return true
}

func (g *Grid) meter(id string) *meter {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.meters[id]
	if m == nil {
		m = new(meter)
		g.meters[id] = m
	}
	return m
}

// Accept may add to a meter that was forgotten since it was found.
func (g *Grid) Accept(id string, row float64, now int) {
	m := g.meter(id)
	m.add(row, now) // want `check-then-act: g\.meters\[id\] was found at line \d+; \(\*Grid\)\.Sweep \(.*\) may take it out and read meter\.rows for the last time in between: what is written here is lost`
}

// AcceptAgain looks for another one then.
func (g *Grid) AcceptAgain(id string, row float64, now int) {
	for !g.meter(id).tryAdd(row, now) {
	}
}

// AcceptLocked adds in the section that finds the meter.
func (g *Grid) AcceptBeside(id string, row float64, now int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := g.meters[id]; m != nil {
		m.add(row, now)
	}
}

// Flush takes the readings away, and the meters stay.
func (g *Grid) Flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, m := range g.meters {
		m.mu.Lock()
		rows := m.rows
		m.rows = nil
		m.mu.Unlock()
		g.save(id, rows)
	}
}

func (g *Grid) Sweep(now int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, m := range g.meters {
		m.mu.Lock()
		if now-m.seen > 10 {
			g.save(id, m.rows)
			m.rows = nil
			m.gone = true
			delete(g.meters, id)
		}
		m.mu.Unlock()
	}
}

// A Tree forgets the branches that are empty after what is old was cut: nothing is left in them.
type Tree struct {
	mu       sync.Mutex
	branches map[string]*branch
}

type branch struct {
	mu     sync.Mutex
	leaves []string
}

func (t *Tree) Grow(at, leaf string) {
	t.mu.Lock()
	b := t.branches[at]
	if b == nil {
		b = new(branch)
		t.branches[at] = b
	}
	t.mu.Unlock()
	b.mu.Lock()
	b.leaves = append(b.leaves, leaf) // want `check-then-act: t\.branches\[at\] was found at line \d+, .*; \(\*Tree\)\.Cut .* may take it out in between, as branch\.leaves says that it is not needed`
	b.mu.Unlock()
}

func (t *Tree) Cut(dry func(string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, b := range t.branches {
		b.mu.Lock()
		if len(b.leaves) == 1 && dry(b.leaves[0]) {
			b.leaves = nil
		}
		if len(b.leaves) == 0 {
			delete(t.branches, at)
		}
		b.mu.Unlock()
	}
}
