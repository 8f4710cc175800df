package confined

import "sync"

type image struct{ id int }

// A Runner is restored before it runs: Restore writes without a lock what Run reads and writes under one.
type Runner struct {
	mu    sync.Mutex
	image *image

	state sync.RWMutex
	local map[string]int
	saved func() map[string]int
	done  chan struct{}
}

func NewRunner(saved func() map[string]int) *Runner {
	return &Runner{saved: saved, done: make(chan struct{})}
}

func (r *Runner) get() *image {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.image
}

func (r *Runner) set(i *image) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.image = i
}

// Local returns a part of the local state.
func (r *Runner) Local(name string) int {
	r.state.RLock()
	defer r.state.RUnlock()
	return r.local[name]
}

// attach is called by both.
func (r *Runner) attach(i *image) { r.set(i) }

// Restore comes before Run, or the two race for r.local.
func (r *Runner) Restore() {
	r.local = r.saved()
	r.attach(&image{1})
}

// Run runs once, as it closes the channel.
func (r *Runner) Run() {
	defer close(r.done)
	r.state.Lock()
	r.local = make(map[string]int)
	r.state.Unlock()
	if r.get() == nil {
		r.attach(&image{2})
	}
}

// A Reviver takes the lock in both.
type Reviver struct {
	mu    sync.Mutex
	image *image

	state sync.RWMutex
	local map[string]int
	saved func() map[string]int
	done  chan struct{}
}

func NewReviver(saved func() map[string]int) *Reviver {
	return &Reviver{saved: saved, done: make(chan struct{})}
}

func (r *Reviver) get() *image {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.image
}

func (r *Reviver) attach(i *image) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.image = i
}

// Restore may run at any time.
func (r *Reviver) Restore() {
	r.state.Lock()
	r.local = r.saved()
	r.state.Unlock()
	r.attach(&image{1})
}

// Run runs once, as it closes the channel.
func (r *Reviver) Run() {
	defer close(r.done)
	r.state.Lock()
	r.local = make(map[string]int)
	r.state.Unlock()
	if r.get() == nil {
		r.attach(&image{2}) // want `check-then-act: r.image was checked at line \d+, but r.mu was released when get returned`
	}
}
