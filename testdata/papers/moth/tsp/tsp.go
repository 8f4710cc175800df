// Package tsp is Tsp of the MoTH paper: workers that search for the shortest tour
// through all cities. Tours with few cities are split into longer ones under
// tourLock; the rest of a tour is searched by the worker that took it.
//
// No violation. setBest compares with the best length without minLock and
// setBest2 compares again with it. The other reads of minTourLen without the lock
// drop tours that cannot be the best: an old value is too large and drops fewer.
// A tour that getTour gave to a worker is read without a lock, since its index is
// neither in the queue nor in the stack of free ones. Two calls of getTour have
// nothing to do with each other.
package tsp

import (
	"math"
	"sync"
	"sync/atomic"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

const (
	maxCities = 8
	splitTo   = 3 // tours with fewer cities are split
	maxTours  = 64
)

// A tour is a way from city 0 through some of the others.
type tour struct {
	path   [maxCities]int
	n      int // cities in path
	length int
}

var (
	cities  int
	weights [maxCities][maxCities]int

	tourLock  sync.Mutex // held before minLock
	tours     [maxTours]tour
	prioQ     []int // indexes of tours to search, in no order
	tourStack []int // indexes of free tours

	minLock    sync.Mutex
	minTourLen atomic.Int64 // written with minLock
	minTour    [maxCities]int
)

// setUp makes the problem. It is called before the workers start.
func setUp(n int) {
	cities = n
	for i := range weights {
		for j := range weights[i] {
			weights[i][j] = 1 + (7*i*j+3*(i+j))%11
		}
	}
	tourStack = tourStack[:0]
	for i := 1; i < maxTours; i++ {
		tourStack = append(tourStack, i)
	}
	tours[0] = tour{n: 1}
	prioQ = append(prioQ[:0], 0)
	minTourLen.Store(math.MaxInt64)
}

// extend adds a city to a copy of t.
func (t tour) extend(city int) tour {
	t.length += weights[t.path[t.n-1]][city]
	t.path[t.n] = city
	t.n++
	return t
}

// visit calls f with t extended by every city that it does not have, as long as
// it can become the best one. A complete tour is offered to setBest instead.
func (t tour) visit(f func(tour)) {
	if int64(t.length) >= minTourLen.Load() {
		return
	}
	if t.n == cities {
		setBest(t.length+weights[t.path[t.n-1]][0], t.path)
		return
	}
next:
	for city := 1; city < cities; city++ {
		for _, c := range t.path[:t.n] {
			if c == city {
				continue next
			}
		}
		f(t.extend(city))
	}
}

// getTour takes the shortest tour out of the queue. It splits it as long as it has
// too few cities. The tour that it frees at last is the one the worker had.
func getTour(had int) (index int, ok bool) {
	tourLock.Lock()
	defer tourLock.Unlock()
	if had >= 0 {
		tourStack = append(tourStack, had)
	}
	for len(prioQ) > 0 {
		first := 0
		for i, index := range prioQ {
			if tours[index].length < tours[prioQ[first]].length {
				first = i
			}
		}
		index := prioQ[first]
		prioQ = append(prioQ[:first], prioQ[first+1:]...)
		if tours[index].n >= splitTo {
			return index, true
		}
		tours[index].visit(push) // takes minLock if the tour is complete
		tourStack = append(tourStack, index)
	}
	return -1, false
}

// push puts a tour into the queue. It is called with tourLock.
func push(t tour) {
	index := tourStack[len(tourStack)-1]
	tourStack = tourStack[:len(tourStack)-1]
	tours[index] = t
	prioQ = append(prioQ, index)
}

// recursiveSolve searches the tours that begin with t.
func recursiveSolve(t tour) { t.visit(recursiveSolve) }

// setBest stores a tour if it is the best one. Most are not and need no lock.
func setBest(length int, path [maxCities]int) {
	if int64(length) >= minTourLen.Load() {
		return
	}
	pause()
	setBest2(length, path)
}

func setBest2(length int, path [maxCities]int) {
	minLock.Lock()
	defer minLock.Unlock()
	if int64(length) < minTourLen.Load() {
		minTourLen.Store(int64(length))
		minTour = path
	}
}

func worker() {
	index, ok := getTour(-1)
	for ok {
		recursiveSolve(tours[index])
		index, ok = getTour(index)
	}
}

// solve returns the shortest tour through n cities and its length.
func solve(n int) (length int, path []int) {
	setUp(n)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(worker)
	}
	wg.Wait()
	return int(minTourLen.Load()), minTour[:n]
}

// Run returns the length of the shortest tour through all cities.
func Run() int {
	length, _ := solve(maxCities)
	return length
}
