// Lottery_ok has users who draw numbers. A draw holds the one lock from the
// generated number to the recorded one, so nobody else's number gets in
// between.
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

func (u *user) generateLocked(i int) {
	n := 1 + rand.Intn(1<<20)
	random = n
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
	u.presentLocked(i)
	u.recordLocked(i)
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
