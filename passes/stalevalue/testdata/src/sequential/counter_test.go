package sequential

import (
	"sync"
	"testing"
)

func TestSet(t *testing.T) {
	c := new(counter)
	n := c.get()
	c.set(n + 1)
	if got := c.get(); got != n+1 {
		t.Errorf("got %d, want %d", got, n+1)
	}
}

func TestTotal(t *testing.T) {
	if total.get() == 0 {
		total.set(1)
	}
	total.set(total.get() * 2)
}

func BenchmarkSet(b *testing.B) {
	c := new(counter)
	for range b.N {
		c.set(c.get() + 1)
	}
}

// TestJoined starts goroutines that add to another counter.
func TestJoined(t *testing.T) {
	c := new(counter)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.add(1)
		}()
	}
	wg.Wait()
	c.set(c.get() * 2)
}

// A type that only tests write, so that nothing is known of what guards it.
type record struct {
	mu   sync.Mutex
	last int
}

var recorded record

func TestRecord(t *testing.T) {
	n := total.get()
	recorded.mu.Lock()
	recorded.last = n
	recorded.mu.Unlock()
}
