// Package lottery is BuggyProgram of Empire's Table 2: users draw numbers. A user
// generates a number, presents it and records it under its own mutex, which does
// not keep other users from the package's variables.
//
// AV1: draw. In generate it writes random; a draw of another user; it writes
// generated: random is not what this user has generated.
//
// AV2: draw. In drawn it reads random; a draw of another user; in present it reads
// random: it presents somebody else's number, which it has not looked for.
//
// AV3: draw. In drawn it reads history; a draw of another user; in record it writes
// history: a number is drawn twice.
package lottery

import (
	"math/rand"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

// next is what a test makes deterministic.
var next = func() int { return 1 + rand.Intn(1<<20) }

const users, draws = 2, 100

var (
	//atomvet:set lottery
	random int

	generated [users * draws]int //atomvet:set lottery
	presented [users * draws]int //atomvet:set lottery
	history   [users * draws]int //atomvet:set lottery
)

type user struct {
	mu sync.Mutex
	id int
}

func (u *user) generate(i int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := next()
	random = n
	pause()
	generated[i] = n
}

func (u *user) drawn() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range history {
		if history[i] == random {
			return true
		}
	}
	return false
}

func (u *user) present(i int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	presented[i] = random
}

func (u *user) record(i int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	history[i] = random
}

// draw draws number i, and reports whether it is one that was not there yet.
//
//atomvet:unit
func (u *user) draw(i int) bool {
	u.generate(i)  // want `^W\(a\) W'\(a\) W'\(b\) W\(b\): \(\*user\)\.draw is not .*, if another \(\*user\)\.draw comes`
	if u.drawn() { // AV2 and AV3: the first access
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
