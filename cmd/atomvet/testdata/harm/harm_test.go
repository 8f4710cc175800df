package harm

import (
	"sync"
	"testing"
	"testing/synctest"
)

func twice(f func()) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(f)
	}
	wg.Wait()
}

// TestClose panics if both close the channel, and TestInc has not been run then.
func TestClose(t *testing.T) { twice(New().Close) }

func TestInc(t *testing.T) {
	c := New()
	twice(c.Inc)
	if c.N() != 2 {
		t.Errorf("n = %d", c.N())
	}
}

func TestGet(t *testing.T) {
	c := New()
	twice(func() { c.Get("a") })
}

// TestDies ends the process in another goroutine.
func TestDies(t *testing.T) {
	c := New()
	for range 5 {
		c.Inc()
	}
	go func() { panic("at once") }()
	select {}
}

// TestBubble has goroutines that wait by the clock of a bubble.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New()
		go c.Inc()
		go c.Inc()
		synctest.Wait()
		c.N()
	})
}

// TestCareful: the function that is handed over makes the second look.
func TestCareful(t *testing.T) {
	c := New()
	twice(func() { c.Careful(func(was int) int { return c.n }) })
	if c.N() != 2 {
		t.Errorf("n = %d", c.N())
	}
}
