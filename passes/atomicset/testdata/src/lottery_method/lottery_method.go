// Lottery_method has users who draw numbers. To generate a number, to look for
// it, to present it and to record it each hold the one lock, but a draw is all
// of them: W(random) W'(random) R(random) presents somebody else's number,
// R(history) W'(history) W(history) draws a number twice.
package main

import (
	"fmt"
	"math/rand"
	"sync"
)

const users, draws = 2, 500

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
	n := 1 + rand.Intn(1<<20)
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
