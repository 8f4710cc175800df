package mechanisms

import "sync"

type dial struct {
	mu    sync.Mutex
	level int
	load  int
}

func (d *dial) Add(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.level += n
	d.load += n
}

func (d *dial) Level() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.level
}

// Turn sets what it has found to be different.
func (d *dial) Turn(level int) {
	if d.Level() != level {
		d.mu.Lock()
		d.level = level
		d.mu.Unlock()
	}
}

func (d *dial) TurnAndTell(level int, tell func(int)) {
	if d.Level() != level {
		tell(level)
		d.mu.Lock()
		d.level = level // want `check-then-act: d\.level was checked`
		d.mu.Unlock()
	}
}

// Limit sets a constant.
func (d *dial) Limit() {
	d.mu.Lock()
	load := d.load
	d.mu.Unlock()
	if load > 10 {
		d.mu.Lock()
		d.load = 10
		d.mu.Unlock()
	}
}

func (d *dial) LimitAndTell(tell func(int)) {
	d.mu.Lock()
	load := d.load
	d.mu.Unlock()
	if load > 10 {
		tell(load)
		d.mu.Lock()
		d.load = 10 // want `check-then-act: d\.load was checked`
		d.mu.Unlock()
	}
}
