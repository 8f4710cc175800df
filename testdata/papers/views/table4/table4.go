// Package table4 is example 4 of Table I of "High-level data races" (view
// consistency).
//
// Right: the view of a is {x, y, z}, those of b are {x, y} and {x}, which are a chain.
// The first section of b has all that b needs together; the second only looks at x
// again, and does not combine it with y.
package table4

import "sync"

var (
	mu      sync.Mutex
	x, y, z int
)

func a() {
	mu.Lock()
	x = 1
	y = 1
	z = 1
	mu.Unlock()
}

func b() {
	mu.Lock()
	x = 2
	y = 2
	mu.Unlock()
	var n int
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
	wg.Go(a)
	wg.Go(b)
	wg.Wait()
}
