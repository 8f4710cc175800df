// Package table2_ok is example 2 of Table I of "High-level data races" (view
// consistency), repaired.
//
// The view of a is {x, y}, and so is that of b, which writes both in one section.
// The two are equal whenever the lock is free.
package table2_ok

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
