package replies

import "sync"

// A Window knows up to where all is done, and an Offsets keeps that for the next start.
type Window struct {
	mu      sync.Mutex
	low     int
	done    map[int]bool
	offsets *Offsets
}

type Offsets struct {
	mu                 sync.Mutex
	committed, highest int
}

func (w *Window) finish(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[n] = true
	for w.done[w.low] {
		delete(w.done, w.low)
		w.low++
	}
	return w.low
}

func (o *Offsets) commit(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.committed = n
}

func (o *Offsets) raise(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n > o.highest {
		o.highest = n
	}
}

func (o *Offsets) Committed() (int, int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.committed, o.highest
}

// Ack may commit after another run that has finished more.
func (w *Window) Ack(n int) {
	low := w.finish(n)
	w.offsets.commit(low) // want `stale-use: w.low was read at line \d+`
}

// Raise keeps the highest, in whatever order they come.
func (w *Window) Raise(n int) {
	low := w.finish(n)
	w.offsets.raise(low)
}

// A Registry gives each name a number of its own.
type Registry struct {
	mu     sync.Mutex
	last   int
	guests struct {
		mu    sync.Mutex
		names map[string]int
	}
}

func (r *Registry) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

func (r *Registry) Enter(name string) {
	n := r.next()
	r.guests.mu.Lock()
	defer r.guests.mu.Unlock()
	r.guests.names[name] = n
}
