// Package table2 is example 2 of Table I of "High-level data races" (view
// consistency).
//
// The view of a is {x, y}, those of b are {x} and {y}: a writes both in one section,
// b one after the other. If a comes between the two sections of b, x is from a and y
// is from b, and stays so.
package table2

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
}

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
