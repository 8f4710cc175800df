// Package lottery_ok is BuggyProgram of Empire's Table 2 put right: users draw
// numbers. A draw holds the one lock from the generated number to the recorded
// one, so nobody else's number gets in between.
package lottery_ok

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

func (u *user) generateLocked(i int) {
	n := next()
	random = n
	pause()
	generated[i] = n
}

func (u *user) drawnLocked() bool {
	for i := range history {
		if history[i] == random {
			return true
		}
	}
	return false
}

func (u *user) presentLocked(i int) {
	presented[i] = random
}

func (u *user) recordLocked(i int) {
	history[i] = random
}

// draw draws number i, and reports whether it is one that was not there yet.
//
//atomvet:unit
func (u *user) draw(i int) bool {
	mu.Lock()
	defer mu.Unlock()
	u.generateLocked(i)
	if u.drawnLocked() {
		return false
	}
	pause()
	u.presentLocked(i)
	pause()
	u.recordLocked(i)
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
