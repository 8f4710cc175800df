// Package mechanisms has a case for each reason why a split does harm or not, beside one
// that differs in just that.
package mechanisms

import "sync"

// Sums of elements.
type ledger struct {
	mu     sync.Mutex
	amount map[string]int
}

func (l *ledger) Set(name string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.amount[name] = n
}

func (l *ledger) SinceOpening() {
	l.mu.Lock()
	was := l.amount["cash"]
	l.mu.Unlock()
	l.mu.Lock()
	l.amount["profit"] = l.amount["cash"] - was // want `stale-use: l\.amount\["cash"\] was read`
	l.mu.Unlock()
}

func (l *ledger) Profit() {
	l.mu.Lock()
	l.amount["profit"] = l.amount["cash"] - l.amount["loan"]
	l.mu.Unlock()
}

// What the section of the act has to do with what was read.
type journal struct {
	mu      sync.Mutex
	gen     int
	saved   int
	started bool
	seen    int
	asked   int
}

func (j *journal) Write() {
	j.mu.Lock()
	j.gen++
	j.mu.Unlock()
}

func (j *journal) Rewind() {
	j.mu.Lock()
	j.gen = 0
	j.mu.Unlock()
}

func (j *journal) Forget() {
	j.mu.Lock()
	j.saved = 0
	j.mu.Unlock()
}

func (j *journal) Stop() {
	j.mu.Lock()
	j.started = false
	j.mu.Unlock()
}

func (j *journal) Save(write func(gen int)) {
	j.mu.Lock()
	gen := j.gen
	j.mu.Unlock()
	write(gen)
	j.mu.Lock()
	write(j.gen)
	j.saved = gen // want `stale-use: j\.gen was read`
	j.mu.Unlock()
}

func (j *journal) SaveApart(write func(gen int)) {
	j.mu.Lock()
	gen := j.gen
	j.mu.Unlock()
	write(gen)
	j.mu.Lock()
	j.saved = gen // nobody has to do with both
	j.mu.Unlock()
}

func (j *journal) Start(write func(gen int)) {
	j.mu.Lock()
	fresh := j.gen == 0
	j.mu.Unlock()
	if fresh {
		j.mu.Lock()
		write(j.gen)
		j.started = true // want `check-then-act: j\.gen was checked`
		j.mu.Unlock()
	}
}

func (j *journal) StartCounted(write func(gen int)) {
	j.mu.Lock()
	fresh := j.gen == 0
	j.asked++ // the section does something by itself
	j.mu.Unlock()
	if fresh {
		j.mu.Lock()
		write(j.gen)
		j.started = true
		j.mu.Unlock()
	}
}

// A container that is built from another one, which has a lock of its own.
type roll struct {
	mu    sync.RWMutex
	names map[string]bool
}

func (r *roll) each(f func(name string)) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for name := range r.names {
		f(name)
	}
}

func (r *roll) set(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[name] = true
}

func (r *roll) unset(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.names, name)
}

type directory struct {
	members roll
	imu     sync.Mutex
	index   map[string]bool
}

func (d *directory) Join(name string) {
	d.members.set(name)
	d.imu.Lock()
	d.index[name] = true
	d.imu.Unlock()
}

func (d *directory) Leave(name string) {
	d.members.unset(name)
	d.imu.Lock()
	delete(d.index, name)
	d.imu.Unlock()
}

func (d *directory) Rebuild() {
	index := make(map[string]bool)
	d.members.each(func(name string) { index[name] = true })
	d.imu.Lock()
	d.index = index // want `stale-use: d\.members\.names was read`
	d.imu.Unlock()
}

func (d *directory) RebuildLocked() {
	d.imu.Lock()
	defer d.imu.Unlock()
	index := make(map[string]bool)
	d.members.each(func(name string) { index[name] = true })
	d.index = index // who joins adds to the index after this
}
