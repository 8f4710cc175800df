package piper

import (
	"testing"
	"testing/synctest"
)

func TestRun(t *testing.T) { Run() }

// No pause is needed to get between: both producers are let in by Wait.
func TestLostPassengers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlane()
		p.Fill("first")
		go p.Fill("second")
		go p.Fill("third")
		synctest.Wait() // both wait for the one free seat
		if name := p.Empty(); name != "first" {
			t.Errorf("%s is let off", name)
		}
		synctest.Wait() // both have taken it
		if p.first != p.last {
			t.Errorf("first %d, last %d; want a plane that looks empty, with two passengers in it", p.first, p.last)
		}
	})
}
