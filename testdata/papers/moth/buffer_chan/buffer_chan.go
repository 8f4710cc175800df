// Package bufferchan is Buffer of the MoTH suite (MoTH, Table 1; Artho,
// Havelund and Biere 2004, Figure 5) with a channel in place of the ring:
// workers take a value, work on it, and put the result back.
//
// It is right: who receives a value owns it until it is sent on.
package bufferchan

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// newBuffer returns a buffer that is full: each worker takes before it adds,
// so there is always room.
func newBuffer(values ...int) chan int {
	b := make(chan int, len(values))
	for _, v := range values {
		b <- v
	}
	return b
}

func f(v int) int { return v + 1 }

func work(b chan int, rounds int) {
	for range rounds {
		v := <-b
		pause()
		b <- f(v)
	}
}

// Run lets three workers share two values.
func Run() {
	b := newBuffer(10, 20)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { work(b, 20) })
	}
	wg.Wait()
}
