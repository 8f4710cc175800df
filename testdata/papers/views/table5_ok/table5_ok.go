// Package table5_ok is example 5 of Table II of "High-level data races" (view
// consistency), repaired.
//
// The views of c and e are {x, y}, that of d is {x}. What c and e write together stays
// together, but for d, which never meant to write y.
package table5_ok

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
	pause()
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
