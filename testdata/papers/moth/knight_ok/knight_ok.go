// Package knightok is the solver of knight with the check of the known way and
// the storing of the shorter one in one critical section.
//
// No violation: the number of moves to a square never grows.
package knightok

import (
	"math"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

const (
	size      = 5
	unreached = math.MaxInt
)

// A point is a square of the board.
type point struct{ x, y int }

var jumps = []point{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}

// A Board has the smallest known number of moves to each square.
type Board struct {
	prey point

	mu       sync.Mutex
	solution [size][size]int
}

// NewBoard returns a board on which no square is reached.
func NewBoard(prey point) *Board {
	b := &Board{prey: prey}
	for x := range b.solution {
		for y := range b.solution[x] {
			b.solution[x][y] = unreached
		}
	}
	return b
}

// Solution returns the number of moves to p.
func (b *Board) Solution(p point) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.solution[p.x][p.y]
}

// improve stores the number of moves to p if it is smaller than the known one
// and tells whether it is.
func (b *Board) improve(p point, moves int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.solution[p.x][p.y] <= moves {
		return false
	}
	pause()
	b.solution[p.x][p.y] = moves
	return true
}

// solve stores a way to me and tries every jump from there.
func (b *Board) solve(me point, moves int) {
	if !b.improve(me, moves) {
		return
	}
	if me == b.prey {
		return
	}
	var wg sync.WaitGroup
	for _, j := range jumps {
		next := point{me.x + j.x, me.y + j.y}
		if next.x < 0 || next.x >= size || next.y < 0 || next.y >= size {
			continue
		}
		wg.Go(func() { b.solve(next, moves+1) })
	}
	wg.Wait()
}

// Run returns the number of moves of a knight from one corner to the other. The
// board is set up before the first solver starts and read after the last one
// ends.
func Run() int {
	b := NewBoard(point{size - 1, size - 1})
	b.solve(point{0, 0}, 0)
	return b.Solution(b.prey)
}
