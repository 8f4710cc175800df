// Package vectorfail is VectorFail, which is in the suite of the MoTH paper and
// not in its tables: a pair of numbers whose greater and smaller element are read
// one after the other.
//
// AV1, Max and Min in bounds: between the two, another client stores another
// pair; the bounds are those of no pair. Each of the two reads the flag and only
// one of the elements: together Max reads both and Min reads both, so that the
// sets of fields hide the violation from whoever merges the branches.
package vectorfail

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A Vector is a pair with a note which of the two is the greater one.
type Vector struct {
	mu             sync.Mutex
	first, second  int
	firstIsGreater bool
}

// Max returns the greater element.
func (v *Vector) Max() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.firstIsGreater {
		return v.first
	}
	return v.second
}

// Min returns the smaller element.
func (v *Vector) Min() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.firstIsGreater {
		return v.second
	}
	return v.first
}

// Set stores a pair whose second element is the greater one, and leaves the note
// as it is.
func (v *Vector) Set(a, b int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.first, v.second = a, b
}

// bounds returns both elements in order.
func bounds(v *Vector) (low, high int) {
	high = v.Max() // AV1: the first read
	pause()
	low = v.Min() // AV1: the second read
	return low, high
}

// client stores pairs one element of which is twice the other and returns how
// many of the pairs it read are not like that.
func client(v *Vector, start int) (wrong int) {
	for n := start; n < start+100; n++ {
		v.Set(n, 2*n)
		if low, high := bounds(v); high != 2*low {
			wrong++
		}
	}
	return wrong
}

// Run lets two clients use one vector.
func Run() (wrong [2]int) {
	v := &Vector{first: 1, second: 2}
	var wg sync.WaitGroup
	for c := range wrong {
		wg.Go(func() { wrong[c] = client(v, 1+1000*c) })
	}
	wg.Wait()
	return wrong
}
