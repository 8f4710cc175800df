// Package table8 is example 8 of Table II of "High-level data races" (view
// consistency).
//
// The views of c are {x, y}, {x} and {y, z}, those of d {y, z}, {y} and {z}, those of e
// {z, x}, {z} and {x}. There are two conflicts, of which the paper lists the first:
//
//   - c has y and z together, d has them apart: if c comes between the last two sections
//     of d, y is from c and z is from d.
//   - e has z and x together, c has x in its first section and z in its third: if e
//     comes between these, x is from e and z is from c.
//
// The small sections of c and e look at one variable each.
package table8

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
	y = 1
	mu.Unlock()
	var n int
	mu.Lock()
	n = x
	mu.Unlock()
	log(n)
	pause()
	mu.Lock()
	y = 1
	z = 1
	mu.Unlock()
}

func d() {
	mu.Lock()
	y = 2
	z = 2
	mu.Unlock()
	mu.Lock()
	y = 2
	mu.Unlock()
	pause()
	mu.Lock()
	z = 2
	mu.Unlock()
}

func e() {
	mu.Lock()
	z = 3
	x = 3
	mu.Unlock()
	var n int
	mu.Lock()
	n = z
	mu.Unlock()
	log(n)
	mu.Lock()
	n = x
	mu.Unlock()
	log(n)
}

// log stands for an output.
func log(int) {}

func Run() {
	var wg sync.WaitGroup
	wg.Go(c)
	wg.Go(d)
	wg.Go(e)
	wg.Wait()
}
