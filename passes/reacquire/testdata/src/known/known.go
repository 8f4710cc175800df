package known

import "sync"

type gauge struct {
	mu    sync.Mutex
	n     int
	valid bool
}

func (g *gauge) get() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

func (g *gauge) ok() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.valid
}

func (g *gauge) Set(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n, g.valid = n, true
}

func (g *gauge) Clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n, g.valid = 0, false
}

type panel struct {
	mu sync.Mutex
	g  *gauge
}

// A named result of a function with a deferred call is a variable in memory.
func (p *panel) Sum(rounds int) (sum int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range rounds {
		sum += p.g.get() // MISSED: reacquire: carried looks for phis, but there is none for a named result beside a defer
	}
	return sum
}

// The first decides whether the second is asked for.
func (p *panel) Value() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.g.ok() {
		return -1
	}
	return p.g.get() // want `reacquire: .* is taken again here, after line 54, `
}

func (s *server) First() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.devices.Len() == 0 {
		return false
	}
	return s.devices.Active(0) // want `reacquire: .* is taken again here, after line 63, `
}

// An update in line.
func (p *panel) Bump() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.g.mu.Lock()
	n := p.g.n
	p.g.mu.Unlock()
	p.g.mu.Lock() // want `reacquire: .* is taken again here, after line 73, `
	p.g.n = n + 1
	p.g.mu.Unlock()
}

// Maps.

type table struct {
	mu sync.Mutex
	m  map[string]int
}

func (t *table) Get(k string) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.m[k]
	return v, ok
}

func (t *table) Val(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k]
}

func (t *table) Put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
}

func (t *table) Delete(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, k)
}

func (t *table) Swap(k string, old, v int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m[k] != old {
		return false
	}
	t.m[k] = v
	return true
}

// Compare and swap.
func (p *panel) Double(t *table, k string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := t.Val(k)
	return t.Swap(k, v, 2*v) // FALSE: reacquire: t.mu is taken again here, after line 127, in one critical section of p.mu: the comparison in Swap is not seen as that of the value read
}

// Another element in each round.
func (p *panel) Each(t *table, keys []string, show func(string, int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range keys {
		if v, ok := t.Get(k); ok {
			show(k, v)
		}
	}
}

func (p *panel) Total(t *table, keys []string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, k := range keys {
		n += t.Val(k)
	}
	return n
}

// A field of a function type that is set in two places, to the same method.
type meter struct {
	mu   sync.Mutex
	read func() int
}

func newMeter(g *gauge) *meter { return &meter{read: g.get} }

func newMeters(a, b *gauge) []*meter { return []*meter{{read: a.get}, {read: b.get}} }

func (m *meter) Diff() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.read()
	return n - m.read() // want `reacquire: .* is taken again here, after line 165, `
}
