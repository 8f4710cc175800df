package handoff

import (
	"sync"
	"time"
)

// A Desk has a list of orders, which a worker takes out and carries out.
type Desk struct {
	mu     sync.Mutex
	cond   *sync.Cond
	orders []order

	state sync.Mutex
	stock map[string]int
}

type order struct {
	what string
	n    int
}

// Work takes all orders out, and carries them out.
func (d *Desk) Work() {
	for {
		d.mu.Lock()
		batch := d.orders
		d.orders = nil
		d.mu.Unlock()
		for _, o := range batch {
			d.state.Lock()
			d.stock[o.what] = o.n
			d.state.Unlock()
		}
	}
}

// Take computes what is left before it orders.
func (d *Desk) Take(what string, n int) bool {
	d.state.Lock()
	have := d.stock[what]
	d.state.Unlock()
	if have < n {
		return false
	}
	d.mu.Lock()
	d.orders = append(d.orders, order{what, have - n}) // want `d.stock\[what\] was read .* lost when \(\*Desk\).Work`
	d.mu.Unlock()
	return true
}

// Fill orders what is given.
func (d *Desk) Fill(what string, n int) {
	d.mu.Lock()
	d.orders = append(d.orders, order{what, n})
	d.mu.Unlock()
}

// A Loop runs functions one after the other.
type Loop struct {
	ops   chan func()
	mu    sync.Mutex
	names map[string]int
	count int
}

// Run runs what it receives.
func (l *Loop) Run() {
	for op := range l.ops {
		op()
	}
}

// Name decides before, and sends a function that puts it there.
func (l *Loop) Name(s string, n int) {
	l.mu.Lock()
	_, ok := l.names[s]
	l.mu.Unlock()
	if ok {
		return
	}
	l.ops <- func() { // want `l.names\[s\] was checked .* before \(\*Loop\).Name\$1`
		l.mu.Lock()
		l.names[s] = n
		l.mu.Unlock()
	}
}

// NameIf has the function look again.
func (l *Loop) NameIf(s string, n int) {
	l.mu.Lock()
	_, ok := l.names[s]
	l.mu.Unlock()
	if ok {
		return
	}
	l.ops <- func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if _, ok := l.names[s]; !ok {
			l.names[s] = n
		}
	}
}

// Count counts in the function.
func (l *Loop) Count() {
	l.ops <- func() {
		l.mu.Lock()
		l.count++
		l.mu.Unlock()
	}
}

// A Mill takes its jobs by a function of its own.
type Mill struct {
	mu    sync.Mutex
	level int
	jobs  chan job
}

type job struct{ kind, level int }

const (
	setLevel = iota
	raiseLevel
)

func (m *Mill) next() (job, bool) {
	j, ok := <-m.jobs
	return j, ok
}

// Run carries the jobs out.
func (m *Mill) Run() {
	for {
		j, ok := m.next()
		if !ok {
			return
		}
		m.mu.Lock()
		switch j.kind {
		case setLevel:
			m.level = j.level
		case raiseLevel:
			m.level += j.level
		}
		m.mu.Unlock()
	}
}

// Double computes the level.
func (m *Mill) Double() {
	m.mu.Lock()
	n := m.level
	m.mu.Unlock()
	m.jobs <- job{setLevel, 2 * n} // want `m.level was read .* lost when \(\*Mill\).Run`
}

// Raise has the level raised.
func (m *Mill) Raise() {
	m.mu.Lock()
	n := m.level
	m.mu.Unlock()
	m.jobs <- job{raiseLevel, n}
}

// A Pool has jobs done by workers, and one goroutine that gives them out.
type Pool struct {
	mu    sync.Mutex
	state map[int]string
	work  chan int
	busy  bool
	best  int
}

// NewPool starts its goroutines.
func NewPool() *Pool {
	p := &Pool{state: make(map[int]string), work: make(chan int)}
	for range 4 {
		go p.worker()
	}
	go p.give()
	return p
}

func (p *Pool) worker() {
	for id := range p.work {
		p.mu.Lock()
		p.state[id] = "done"
		p.mu.Unlock()
	}
}

// give is the only one who gives jobs out: nobody else has the same job done.
func (p *Pool) give() {
	for id := range 100 {
		p.mu.Lock()
		s := p.state[id]
		p.mu.Unlock()
		if s == "" {
			p.work <- id
		}
	}
}

// Refresh has a flag that keeps others out until the goroutine has ended.
func (p *Pool) Refresh(measure func() int) {
	p.mu.Lock()
	if p.busy {
		p.mu.Unlock()
		return
	}
	p.busy = true
	n := p.best
	p.mu.Unlock()
	go func() {
		m := measure()
		p.mu.Lock()
		p.best = n + m
		p.busy = false
		p.mu.Unlock()
	}()
}

// A Level is set by goroutines.
type Level struct {
	mu    sync.Mutex
	level int
	name  string
}

// Later sets what was computed before, after a while.
func (l *Level) Later() {
	l.mu.Lock()
	n := l.level
	l.mu.Unlock()
	time.AfterFunc(time.Second, func() { // want `l.level was read .* lost when the goroutine`
		l.mu.Lock()
		l.level = n / 2
		l.mu.Unlock()
	})
}

// LaterMax keeps the larger one.
func (l *Level) LaterMax(by int) {
	l.mu.Lock()
	n := l.level
	l.mu.Unlock()
	go func() {
		l.mu.Lock()
		if n+by > l.level {
			l.level = n + by
		}
		l.mu.Unlock()
	}()
}

// LaterHigher takes the larger one.
func (l *Level) LaterHigher(by int) {
	l.mu.Lock()
	n := l.level
	l.mu.Unlock()
	go func() {
		l.mu.Lock()
		l.level = max(l.level, n+by)
		l.mu.Unlock()
	}()
}

// Tell only tells the goroutine what it was.
func (l *Level) Tell(to int) {
	l.mu.Lock()
	old := l.level
	l.mu.Unlock()
	go func() {
		println(old)
		l.mu.Lock()
		l.level = to
		l.mu.Unlock()
	}()
}

// A Backlog keeps what is to be done in a list, beside the names that are in it.
type Backlog struct {
	mu    sync.Mutex
	names map[string]bool
	list  []string
}

// Work takes one out.
func (b *Backlog) Work() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.list) > 0 {
		name := b.list[0]
		b.list = b.list[1:]
		b.names[name] = false
	}
}

// Again puts a name into the list in the section that looks.
func (b *Backlog) Again(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.names[name] {
		b.list = append(b.list, name)
	}
}

// Mark is for others.
func (b *Backlog) Mark(name string) {
	b.mu.Lock()
	b.names[name] = true
	b.mu.Unlock()
}
