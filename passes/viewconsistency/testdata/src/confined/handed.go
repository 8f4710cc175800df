package confined

import "sync"

// plate is a part of a press. Whoever has received it is the only one to change it; the lock is for those who
// look at all plates.
type plate struct {
	mu   sync.Mutex
	wear int
	runs int
}

func (p *plate) worn() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wear
}

func (p *plate) used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs
}

func (p *plate) count(wear int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wear += wear
	p.runs++
}

// Press hands its plates over: each is in the channel at most once.
type Press struct {
	all  []*plate
	free chan *plate
}

func NewPress(n int) *Press {
	p := &Press{free: make(chan *plate, n)}
	for range n {
		pl := new(plate)
		p.all = append(p.all, pl)
		p.free <- pl
	}
	return p
}

// Print has the plate for itself until it gives it back.
func (p *Press) Print(wear int) int {
	pl := <-p.free
	defer func() { p.free <- pl }()
	each := pl.worn() / (pl.used() + 1)
	pl.count(wear)
	return each
}

// Worst looks at all plates, whoever has them.
func (p *Press) Worst() int {
	worst := 0
	for _, pl := range p.all {
		w := pl.worn()
		worst = max(worst, w/(pl.used()+1)) // want `split-read: .*wear at line \d+ and .*runs here are read apart`
	}
	return worst
}

// foil is like plate.
type foil struct {
	mu   sync.Mutex
	wear int
	runs int
}

func (f *foil) worn() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wear
}

func (f *foil) used() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs
}

func (f *foil) count(wear int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wear += wear
	f.runs++
}

// Mirror has each foil in two channels: those who print and those who look have one foil at the same time.
type Mirror struct{ free, look chan *foil }

func NewMirror(n int) *Mirror {
	m := &Mirror{free: make(chan *foil, n), look: make(chan *foil, n)}
	for range n {
		pl := new(foil)
		m.free <- pl
		m.look <- pl
	}
	return m
}

func (m *Mirror) Print(wear int) {
	pl := <-m.free
	defer func() { m.free <- pl }()
	pl.count(wear)
}

func (m *Mirror) Mean() int {
	pl := <-m.look
	defer func() { m.look <- pl }()
	return pl.worn() / (pl.used() + 1) // want `split-read: .*wear at line \d+ and .*runs here are read apart`
}
