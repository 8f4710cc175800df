package known

import (
	"sync"
	"testing"
)

var total sum

// TestJoined starts goroutines that add to another sum.
func TestJoined(t *testing.T) {
	s := new(sum)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.add(1)
		}()
	}
	wg.Wait()
	s.set(s.get() * 2) // FALSE: lost-update: all goroutines are gone
}

func TestTotal(t *testing.T) {
	total.set(total.get() * 2) // FALSE: lost-update: the tests run one after the other
}
