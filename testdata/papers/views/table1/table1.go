// Package table1 is example 1 of Table I of "High-level data races" (view
// consistency).
//
// Right: the views of a are {x} and {y}, and those of b as well. No section has both
// of them, so nothing says that x and y belong together.
package table1

import "sync"

var (
	mu   sync.Mutex
	x, y int
)

func a() {
	mu.Lock()
	x = 1
	mu.Unlock()
	mu.Lock()
	y = 1
	mu.Unlock()
}

func b() {
	mu.Lock()
	x = 2
	mu.Unlock()
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
