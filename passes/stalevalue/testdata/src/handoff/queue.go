package handoff

import "sync"

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
