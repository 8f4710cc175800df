// Package table3 is example 3 of Table I of "High-level data races" (view
// consistency).
//
// The views of a are {x, y}, {x} and {y}, those of b are {x} and {y}. That a has both
// together is enough for b to be wrong: if all of a comes between the two sections of
// b, x is from a and y is from b. The small sections of a look at one variable
// each, and do no harm.
package table3

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

var (
	mu   sync.Mutex
	x, y int
)

func a() {
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

// log stands for an output.
func log(int) {}

func b() {
	mu.Lock()
	x = 2
	mu.Unlock()
	pause()
	mu.Lock()
	y = 2
	mu.Unlock()
}

func Run() {
	var wg sync.WaitGroup
	wg.Go(a)
	wg.Go(b)
	wg.Wait()
}
