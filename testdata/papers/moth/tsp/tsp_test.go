package tsp

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// during runs unit and, the first time that unit pauses, other in a second
// goroutine. It waits for both and tells whether other could finish while unit
// was paused.
func during(unit, other func()) (between bool) {
	var calls atomic.Int32
	done := make(chan struct{})
	pause = func() {
		if calls.Add(1) != 1 {
			return
		}
		go func() {
			defer close(done)
			other()
		}()
		select {
		case <-done:
			between = true
		case <-time.After(10 * time.Second):
		}
	}
	defer func() { pause = func() {} }()
	unit()
	<-done
	return between
}

func TestRun(t *testing.T) { Run() }

// all returns the length of the shortest tour, without any bound.
func all(t tour) int {
	if t.n == cities {
		return t.length + weights[t.path[t.n-1]][0]
	}
	best := math.MaxInt
	for city := 1; city < cities; city++ {
		if !slices.Contains(t.path[:t.n], city) {
			best = min(best, all(t.extend(city)))
		}
	}
	return best
}

func TestShortestTour(t *testing.T) {
	for n := 2; n <= maxCities; n++ {
		length, path := solve(n)
		if want := all(tour{n: 1}); length != want {
			t.Errorf("%d cities: length = %d, want %d", n, length, want)
		}
		sum := 0
		for i, c := range path {
			sum += weights[c][path[(i+1)%n]]
		}
		if sum != length {
			t.Errorf("%d cities: tour %v is %d long, not %d", n, path, sum, length)
		}
	}
}

func TestBestIsNotOverwritten(t *testing.T) {
	setUp(maxCities)
	between := during(
		func() { setBest(9, [maxCities]int{0, 9}) },
		func() { setBest(8, [maxCities]int{0, 8}) })
	if !between || minTourLen.Load() != 8 || minTour[1] != 8 {
		t.Errorf("between = %v, best = %d, %v; want 8 and its tour", between, minTourLen.Load(), minTour)
	}
}
