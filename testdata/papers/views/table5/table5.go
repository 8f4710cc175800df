// Package table5 is example 5 of Table II of "High-level data races" (view
// consistency).
//
// The view of c is {x, y}, that of d is {x}, those of e are {x} and {y}. c and e are in
// conflict: if c comes between the two sections of e, x is from c and y is from e. d
// writes one of them only, and is right with both.
package table5

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

var (
	mu   sync.Mutex
	x, y int
)

func c() {
	mu.Lock()
	x = 1
	y = 1
	mu.Unlock()
}

func d() {
	mu.Lock()
	x = 2
	mu.Unlock()
}

func e() {
	mu.Lock()
	x = 3
	mu.Unlock()
	pause()
	mu.Lock()
	y = 3
	mu.Unlock()
}

func Run() {
	var wg sync.WaitGroup
	wg.Go(c)
	wg.Go(d)
	wg.Go(e)
	wg.Wait()
}
