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
