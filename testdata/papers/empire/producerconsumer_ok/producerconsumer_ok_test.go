package producerconsumer_ok

import (
	"testing"
	"testing/synctest"
)

func TestRun(t *testing.T) {
	if n := Run(); n != 0 {
		t.Errorf("the elements lost are %d together", n)
	}
}

func TestOverwritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBuffer()
		b.Put(1)
		b.Put(2)
		go b.Put(3)
		go b.Put(4)
		synctest.Wait() // both wait for room
		x, y := b.Get(), b.Get()
		if x != 1 || y != 2 {
			t.Errorf("elements %d and %d, want 1 and 2", x, y)
		}
		synctest.Wait()
		if x, y := b.Get(), b.Get(); x+y != 7 || b.count != 0 {
			t.Errorf("elements %d and %d, want 3 and 4", x, y)
		}
	})
}

func TestConsumedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBuffer()
		got := make(chan int, 2)
		for range 2 {
			go func() { got <- b.Get() }()
		}
		synctest.Wait() // both wait for an element
		b.Put(1)
		synctest.Wait()
		if len(got) != 1 || b.count != 0 {
			t.Errorf("%d have an element, count %d; want 1 and 0", len(got), b.count)
		}
		b.Put(2)
		if x, y := <-got, <-got; x != 1 || y != 2 {
			t.Errorf("elements %d and %d, want 1 and 2", x, y)
		}
	})
}
