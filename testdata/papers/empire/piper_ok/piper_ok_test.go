package piper_ok

import (
	"slices"
	"testing"
	"testing/synctest"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("%d passengers lost", n)
	}
}

func TestLostPassengers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlane()
		p.Fill("first")
		go p.Fill("second")
		go p.Fill("third")
		synctest.Wait() // both wait for the one free seat
		var names []string
		for range 3 {
			names = append(names, p.Empty())
		}
		slices.Sort(names)
		if want := []string{"first", "second", "third"}; !slices.Equal(names, want) {
			t.Errorf("passengers %v, want %v", names, want)
		}
		if p.first != p.last {
			t.Errorf("first %d, last %d; want an empty plane", p.first, p.last)
		}
	})
}
