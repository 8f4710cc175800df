// Package nested has nested locks, as discussed in "High-level data races" (view
// consistency).
//
// Benign: for inner, the views of move are {x} and {y}, and that of read is {x, y}, which
// is a conflict by the definition. But x and y belong to the view of outer as well,
// which is {x, y} in both: outer is held all the time, so read cannot come between
// the two sections of move.
package nested

import "sync"

var (
	outer sync.Mutex
	inner sync.Mutex
	x, y  int
)

func move(n int) {
	outer.Lock()
	defer outer.Unlock()
	inner.Lock()
	x += n
	inner.Unlock()
	inner.Lock()
	y += n
	inner.Unlock()
}

func read() (int, int) {
	outer.Lock()
	defer outer.Unlock()
	inner.Lock()
	defer inner.Unlock()
	return x, y
}

func Run() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { move(i) })
		wg.Go(func() { read() })
	}
	wg.Wait()
}
