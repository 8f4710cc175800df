// Package table6 is example 6 of Table II of "High-level data races" (view
// consistency).
//
// Right: the view of c is {x, y}, that of d is {x}, that of e is {y}. d and e write one
// of them each, and no thread alone has them apart.
package table6

import "sync"

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
