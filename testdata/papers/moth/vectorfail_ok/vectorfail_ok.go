// Package vectorfailok is the pair of vectorfail with both elements read in one
// critical section.
//
// No violation: the bounds are those of one pair.
package vectorfailok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// A Vector is a pair with a note which of the two is the greater one.
type Vector struct {
	mu             sync.Mutex
	first, second  int
	firstIsGreater bool
}

// max and min are called with the lock.
func (v *Vector) max() int {
	if v.firstIsGreater {
		return v.first
	}
	return v.second
}

func (v *Vector) min() int {
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
	v.mu.Lock()
	defer v.mu.Unlock()
	high = v.max()
	pause()
	low = v.min()
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
