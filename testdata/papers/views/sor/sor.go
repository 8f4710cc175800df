// Package sor is SOR of "High-level data races" (Table III) and of the JNuke paper: successive
// over-relaxation of a grid, by workers that have some rows each and wait for each other after
// each half of a round.
//
// No violation. In one half of a round the even rows change and the odd ones are read, in the
// other one it is the other way round, so that the grid needs no lock. What the barrier has is
// used by await alone, in one critical section; a worker knows by itself how often it has come to it.
package sor

import "sync"

// A barrier lets workers go on when all have come to it.
type barrier struct {
	mu      sync.Mutex
	all     sync.Cond
	workers int
	arrived int // in all rounds
	passed  int // rounds that all have come to
}

func newBarrier(workers int) *barrier {
	b := &barrier{workers: workers}
	b.all.L = &b.mu
	return b
}

// await waits until all workers have come to the barrier for the given time.
func (b *barrier) await(time int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived++
	if b.arrived == time*b.workers {
		b.passed = time
		b.all.Broadcast()
	}
	for b.passed < time {
		b.all.Wait()
	}
}

const (
	size    = 16
	omega   = 1.25
	workers = 3
)

// A grid has a border that does not change.
type grid [size + 2][size + 2]float64

// relax computes a row anew from those beside it.
func (g *grid) relax(row int) {
	for i := 1; i <= size; i++ {
		beside := g[row-1][i] + g[row+1][i] + g[row][i-1] + g[row][i+1]
		g[row][i] = omega/4*beside + (1-omega)*g[row][i]
	}
}

// work relaxes every so many of the rows.
func (g *grid) work(first, rounds int, b *barrier) {
	time := 0
	for range rounds {
		for half := range 2 {
			for row := 1 + half + 2*first; row <= size; row += 2 * workers {
				g.relax(row)
			}
			time++
			b.await(time)
		}
	}
}

// newGrid returns a grid with a warm upper border.
func newGrid() *grid {
	g := new(grid)
	for i := range g[0] {
		g[0][i] = 1
	}
	return g
}

// Run relaxes a grid and returns the sum of its elements.
func Run(rounds int) float64 {
	g, b := newGrid(), newBarrier(workers)
	var wg sync.WaitGroup
	for first := range workers {
		wg.Go(func() { g.work(first, rounds, b) })
	}
	wg.Wait()
	sum := 0.0
	for _, row := range g {
		for _, x := range row {
			sum += x
		}
	}
	return sum
}
