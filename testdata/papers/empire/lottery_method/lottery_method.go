// Package lottery_method is BuggyProgram of Empire's Table 2, with the right lock:
// users draw numbers. To generate a number, to look for it, to present it and to
// record it each hold the one lock, but a draw is all of them.
//
// AV1: draw. In drawn it reads random; a draw of another user; in present it reads
// random: it presents somebody else's number, which it has not looked for.
//
// AV2: draw. In drawn it reads history; a draw of another user; in record it writes
// history: a number is drawn twice.
package lottery_method

import (
	"math/rand"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// next is what a test makes deterministic.
var next = func() int { return 1 + rand.Intn(1<<20) }

const users, draws = 2, 100

var mu sync.Mutex

var (
	//atomvet:set lottery
	random int

	generated [users * draws]int //atomvet:set lottery
	presented [users * draws]int //atomvet:set lottery
	history   [users * draws]int //atomvet:set lottery
)

type user struct{ id int }

func (u *user) generate(i int) {
	mu.Lock()
	defer mu.Unlock()
	n := next()
	random = n
	generated[i] = n
}

func (u *user) drawn() bool {
	mu.Lock()
	defer mu.Unlock()
	for i := range history {
		if history[i] == random {
			return true
		}
	}
	return false
}

func (u *user) present(i int) {
	mu.Lock()
	defer mu.Unlock()
	presented[i] = random
}

func (u *user) record(i int) {
	mu.Lock()
	defer mu.Unlock()
	history[i] = random
}

// draw draws number i, and reports whether it is one that was not there yet.
//
//atomvet:unit
func (u *user) draw(i int) bool {
	u.generate(i)
	if u.drawn() { // AV1 and AV2: the first access
		return false
	}
	pause()
	u.present(i) // want `^R\(a\) W'\(a\) R\(a\): \(\*user\)\.draw is not .*, if another \(\*user\)\.draw comes`
	pause()
	u.record(i) // want `^R\(a\) W'\(a\) W\(a\): \(\*user\)\.draw is not .*, if another \(\*user\)\.draw comes`
	return true
}

// Run returns how many draws were mixed up, and how many were of a number that had
// been drawn.
//
//atomvet:notunit
func Run() (mixed, twice int) {
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
		if generated[i] != presented[i] || presented[i] != history[i] {
			mixed++
		}
		seen[history[i]] = true
	}
	return mixed, len(history) - len(seen)
}
