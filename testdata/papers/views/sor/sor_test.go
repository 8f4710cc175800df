package sor

import "testing"

// alone does what Run does in one goroutine.
func alone(rounds int) float64 {
	g := newGrid()
	for range rounds {
		for half := range 2 {
			for row := 1 + half; row <= size; row += 2 {
				g.relax(row)
			}
		}
	}
	sum := 0.0
	for _, row := range g {
		for _, x := range row {
			sum += x
		}
	}
	return sum
}

func TestRun(t *testing.T) {
	for _, rounds := range []int{1, 2, 20} {
		if got, want := Run(rounds), alone(rounds); got != want {
			t.Errorf("%d rounds: %v, want %v as without goroutines", rounds, got, want)
		}
	}
}
