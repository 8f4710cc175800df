// Package buffer is Buffer of the MoTH suite (MoTH, Table 1; Artho, Havelund
// and Biere 2004, Figure 5): workers take a value out of a ring, work on it, and
// put the result back.
//
// It is right, although the value added comes from an earlier critical section:
// next takes the value out of the ring, so it is the worker's own until it is
// added, and the ring asks for no relation between what goes out and comes in.
package buffer

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type ring struct {
	mu       sync.Mutex
	nonEmpty sync.Cond
	cells    []int
	head     int // of the oldest value
	tail     int // where the next value goes
	n        int
}

// newRing returns a ring that is full: each worker takes before it adds, so
// there is always room.
func newRing(values ...int) *ring {
	r := &ring{cells: values, n: len(values)}
	r.nonEmpty.L = &r.mu
	return r
}

func (r *ring) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.n == 0 {
		r.nonEmpty.Wait()
	}
	v := r.cells[r.head]
	r.head = (r.head + 1) % len(r.cells)
	r.n--
	return v
}

func (r *ring) add(v int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[r.tail] = v
	r.tail = (r.tail + 1) % len(r.cells)
	r.n++
	r.nonEmpty.Signal()
}

func f(v int) int { return v + 1 }

func work(r *ring, rounds int) {
	for range rounds {
		v := r.next()
		pause()
		r.add(f(v))
	}
}

// Run lets three workers share two values.
func Run() {
	r := newRing(10, 20)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { work(r, 20) })
	}
	wg.Wait()
}
