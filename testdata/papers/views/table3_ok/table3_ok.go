// Package table3_ok is example 3 of Table I of "High-level data races" (view
// consistency), repaired.
//
// The views of a and of b are {x, y}, once each. There is no section with one of
// them only.
package table3_ok

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
	pause()
	y = 2
	mu.Unlock()
}

func Run() {
	var wg sync.WaitGroup
	wg.Go(a)
	wg.Go(b)
	wg.Wait()
}
