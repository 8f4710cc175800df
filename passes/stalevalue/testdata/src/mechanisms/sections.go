package mechanisms

import "sync"

// A callee that is split itself.
type gauge struct {
	mu sync.Mutex
	n  int
}

func (g *gauge) Set(n int) {
	g.mu.Lock()
	g.n = n
	g.mu.Unlock()
}

func (g *gauge) grow() int {
	g.mu.Lock()
	n := g.n
	g.mu.Unlock()
	g.mu.Lock()
	g.n = n + 1 // want `lost-update: g\.n was read`
	g.mu.Unlock()
	return n
}

func (g *gauge) Double() {
	n := g.grow() // that is what is wrong
	g.Set(2 * n)
}

// What is written under another guard.
type office struct {
	mu   sync.Mutex
	open bool
	qmu  sync.Mutex
	next int
	sum  int
}

func (o *office) Close() {
	o.mu.Lock()
	o.open = false
	o.mu.Unlock()
	o.qmu.Lock()
	o.next = 0
	o.sum = 0
	o.qmu.Unlock()
}

func (o *office) Open() {
	o.mu.Lock()
	o.open = true
	o.mu.Unlock()
}

func (o *office) isOpen() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open
}

func (o *office) Call(n int) {
	o.mu.Lock()
	open := o.open
	o.mu.Unlock()
	if open {
		o.qmu.Lock()
		o.next = n // want `check-then-act: o\.open was checked`
		o.qmu.Unlock()
	}
}

func (o *office) CallLocked(n int) {
	o.qmu.Lock()
	defer o.qmu.Unlock()
	o.mu.Lock()
	open := o.open
	o.mu.Unlock()
	if open {
		o.next = n // who closes clears it after this
	}
}

func (o *office) Add(n int) {
	o.mu.Lock()
	open := o.open
	o.mu.Unlock()
	if open {
		o.qmu.Lock()
		o.sum += n
		o.qmu.Unlock()
	}
}

// What only the key depends on.
type playlist struct {
	mu      sync.Mutex
	current int
	hits    map[int]int
	last    map[int]int
}

func (p *playlist) Next() {
	p.mu.Lock()
	p.current++
	p.hits[p.current] = 0
	p.last[p.current] = 0
	p.mu.Unlock()
}

func (p *playlist) Rewind() {
	p.mu.Lock()
	p.current = 0
	p.hits[0] = 1
	p.last[0] = 1
	p.mu.Unlock()
}

func (p *playlist) Rate(stars int) {
	p.mu.Lock()
	id := p.current
	p.mu.Unlock()
	p.mu.Lock()
	p.hits[id] = stars
	p.mu.Unlock()
}

func (p *playlist) Copy() {
	p.mu.Lock()
	id := p.current
	p.mu.Unlock()
	p.mu.Lock()
	p.last[0] = id // want `stale-use: p\.current was read`
	p.mu.Unlock()
}
