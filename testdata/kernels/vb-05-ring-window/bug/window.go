package window

import "sync"

type number interface{ ~int | ~int64 | ~float64 }

type counters[N number] struct {
	sync.RWMutex
	sum N
	n   int
}

// Window accumulates samples between two flushes.
type Window[N number] struct {
	counters[N]
	name string
	sink func(name string, mean N)
}

func New[N number](name string, sink func(string, N)) *Window[N] {
	return &Window[N]{name: name, sink: sink}
}

func (w *Window[N]) Observe(v N) {
	w.Lock()
	w.sum += v
	w.n++
	w.Unlock()
}

func (c *counters[N]) total() (sum N, some bool) {
	c.RLock()
	defer c.RUnlock()
	sum, some = c.sum, c.n > 0
	return
}

func (c *counters[N]) count() (n int) {
	c.RLock()
	n = c.n
	c.RUnlock()
	return
}

// Mean returns the mean of the samples since the last flush.
func (w *Window[N]) Mean() (mean N, ok bool) {
	sum, some := w.total()
	if !some {
		return mean, false
	}
	return sum / N(w.count()), true
}

// Flush reports the mean to the sink and starts a new window.
func (w *Window[N]) Flush() {
	w.Lock()
	sum, n := w.sum, w.n
	w.sum, w.n = 0, 0
	w.Unlock()
	if n > 0 {
		w.sink(w.name, sum/N(n))
	}
}
