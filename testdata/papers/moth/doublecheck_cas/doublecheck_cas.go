// Package doublecheckcas is DoubleCheck of the MoTH suite (MoTH, Table 1;
// Artho, Havelund and Biere 2004, Figure 6) with an atomic compare-and-swap in
// place of the critical section that checks and updates.
//
// It is right: the swap takes place only if the shared value is still the one
// that the new value was computed from; else all is done again.
package doublecheckcas

import (
	"sync"
	"sync/atomic"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

func f(v int64) int64 { return v + 1 }

// step replaces the shared value v by f(v) and returns how often it tried.
func step(shared *atomic.Int64) int {
	for try := 1; ; try++ {
		old := shared.Load()
		pause()
		if shared.CompareAndSwap(old, f(old)) {
			return try
		}
	}
}

// Run lets two goroutines take ten steps each.
func Run() {
	shared := new(atomic.Int64)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 10 {
				step(shared)
			}
		})
	}
	wg.Wait()
}
