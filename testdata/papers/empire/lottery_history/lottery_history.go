// Package lottery_history is BuggyProgram of Empire's Table 2, half right: users
// draw numbers. A number belongs to who has generated it, but to look for it in
// the history and to record it there are two critical sections.
//
// AV1: draw. In drawn it reads history; a draw of another user; in record it writes
// history: a number is drawn twice.
package lottery_history

import (
	"math/rand"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// next is what a test makes deterministic. There are not many numbers.
var next = func() int { return 1 + rand.Intn(1000) }

const users, draws = 2, 100

var (
	mu      sync.Mutex
	history [users * draws]int //atomvet:set lottery
)

type user struct{ id int }

func (u *user) drawn(n int) bool {
	mu.Lock()
	defer mu.Unlock()
	for i := range history {
		if history[i] == n {
			return true
		}
	}
	return false
}

func (u *user) record(i, n int) {
	mu.Lock()
	defer mu.Unlock()
	history[i] = n
}

// draw draws number i, and reports whether it is one that was not there yet.
//
//atomvet:unit
func (u *user) draw(i int) bool {
	n := next()
	if u.drawn(n) { // AV1: the first access
		return false
	}
	pause()
	u.record(i, n) // want `^R\(a\) W'\(a\) W\(a\): \(\*user\)\.draw is not .*, if another \(\*user\)\.draw comes`
	return true
}

// Run returns how many draws were of a number that had been drawn.
//
//atomvet:notunit
func Run() int {
	var wg sync.WaitGroup
	for id := range users {
		u := &user{id: id}
		wg.Go(func() {
			for i := range draws {
				for range 100 {
					if u.draw(u.id*draws + i) {
						break
					}
				}
			}
		})
	}
	wg.Wait()

	seen := make(map[int]bool)
	for i := range history {
		seen[history[i]] = true
	}
	return len(history) - len(seen)
}
