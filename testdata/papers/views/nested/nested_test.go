package nested

import (
	"sync"
	"testing"
)

func TestAlwaysTogether(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				move(1)
			}
		})
		wg.Go(func() {
			for range 100 {
				if a, b := read(); a != b {
					t.Errorf("x, y = %d, %d", a, b)
				}
			}
		})
	}
	wg.Wait()
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
