// Lottery has users who draw numbers. A user generates a number, presents it
// and records it under its own mutex, which does not keep other users from the
// package's variables: W(random) W'(random) R(random) presents somebody else's
// number, R(history) W'(history) W(history) draws a number twice.
package main

import (
	"fmt"
	"math/rand"
	"sync"
)

const users, draws = 2, 500

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
	n := 1 + rand.Intn(1<<20)
	random = n
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
	u.generate(i) // want `^W\(a\) W'\(a\) W'\(b\) W\(b\): \(\*user\)\.draw is not .*, if another \(\*user\)\.draw comes`
	if u.drawn() {
		return false
	}
	u.present(i) // want `^R\(a\) W'\(a\) R\(a\): \(\*user\)\.draw is not .*, if another \(\*user\)\.draw comes`
	u.record(i)  // want `^R\(a\) W'\(a\) W\(a\): \(\*user\)\.draw is not .*, if another \(\*user\)\.draw comes`
	return true
}

func main() {
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

	mixed, seen := 0, make(map[int]bool)
	for i := range history {
		if generated[i] != presented[i] || presented[i] != history[i] {
			mixed++
		}
		seen[history[i]] = true
	}
	fmt.Println("draws mixed up:", mixed, "drawn twice:", len(history)-len(seen))
}
