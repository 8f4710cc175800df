// Package table8_ok is example 8 of Table II of "High-level data races" (view
// consistency), repaired.
//
// c has all three in one section, so {x, y}, {x} and {y, z} are no longer apart, and d
// and e have their two together. What is together in one thread is so in all.
package table8_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

var (
	mu      sync.Mutex
	x, y, z int
)

func c() {
	mu.Lock()
	x = 1
	pause()
	y = 1
	z = 1
	mu.Unlock()
}

func d() {
	mu.Lock()
	y = 2
	pause()
	z = 2
	mu.Unlock()
}

func e() {
	mu.Lock()
	z = 3
	x = 3
	mu.Unlock()
}

func Run() {
	var wg sync.WaitGroup
	wg.Go(c)
	wg.Go(d)
	wg.Go(e)
	wg.Wait()
}
