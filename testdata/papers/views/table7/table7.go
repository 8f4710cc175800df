// Package table7 is example 7 of Table II of "High-level data races" (view
// consistency).
//
// Right: the views of c are {x, y}, {x} and {y}, those of d {y, z}, {y} and {z}, those of
// e {z, x}, {z} and {x}. Each two threads have one variable in common, so the overlaps
// are chains, though all three go round in a circle. The small sections look at one
// variable each, and do not combine it with another.
package table7

import "sync"

var (
	mu      sync.Mutex
	x, y, z int
)

func c() {
	mu.Lock()
	x = 1
	y = 1
	mu.Unlock()
	var n int
	mu.Lock()
	n = x
	mu.Unlock()
	log(n)
	mu.Lock()
	n = y
	mu.Unlock()
	log(n)
}

func d() {
	mu.Lock()
	y = 2
	z = 2
	mu.Unlock()
	var n int
	mu.Lock()
	n = y
	mu.Unlock()
	log(n)
	mu.Lock()
	n = z
	mu.Unlock()
	log(n)
}

func e() {
	mu.Lock()
	z = 3
	x = 3
	mu.Unlock()
	var n int
	mu.Lock()
	n = z
	mu.Unlock()
	log(n)
	mu.Lock()
	n = x
	mu.Unlock()
	log(n)
}

// log stands for an output.
func log(int) {}

var once sync.Once

// Run runs the program once: each function is one thread.
func Run() { once.Do(run) }

func run() {
	var wg sync.WaitGroup
	wg.Go(c)
	wg.Go(d)
	wg.Go(e)
	wg.Wait()
}
