package known

import "sync"

// A constructor that starts two goroutines: one of each.

type pump struct {
	mu       sync.Mutex
	in, out  int
	lo, hi   int
	finished chan struct{}
}

func NewPump(use func(int)) *pump {
	p := &pump{finished: make(chan struct{})}
	go p.first(use)
	go p.second(use)
	return p
}

// first is the only one that writes in and out.
func (p *pump) first(use func(int)) {
	for n := range 10 {
		p.mu.Lock()
		p.in, p.out = n, n
		p.mu.Unlock()
		p.mu.Lock()
		in := p.in
		p.mu.Unlock()
		p.mu.Lock()
		out := p.out
		p.mu.Unlock()
		use(in - out)
	}
}

// second is the only one that writes lo and hi.
func (p *pump) second(use func(int)) {
	for n := range 10 {
		p.mu.Lock()
		p.lo, p.hi = n, n
		p.mu.Unlock()
		p.mu.Lock()
		lo := p.lo
		p.mu.Unlock()
		p.mu.Lock()
		hi := p.hi
		p.mu.Unlock()
		use(lo - hi)
	}
}

// A mark for what has been taken out of the table.

type room struct {
	mu   sync.Mutex
	gone bool
	n    int
}

type rooms struct {
	mu sync.Mutex
	m  map[string]*room
}

func (r *rooms) Enter(name string) {
	for {
		r.mu.Lock()
		x := r.m[name]
		if x == nil {
			x = &room{}
			r.m[name] = x
		}
		r.mu.Unlock()
		x.mu.Lock()
		if x.gone { // FALSE: split-read: r.m[name] at line 69 and r.m[…].gone here: gone says whether x is still in the table
			x.mu.Unlock()
			continue
		}
		x.n++
		x.mu.Unlock()
		return
	}
}

func (r *rooms) Leave(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.m[name]
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.n--; x.n == 0 {
		x.gone = true
		delete(r.m, name)
	}
}
