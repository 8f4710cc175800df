package buffer

import (
	"testing"
)

// There are more items than workers, so the buffer is never empty.
func TestNothingIsLost(t *testing.T) {
	for range 100 {
		b := work()
		sum := 0
		for _, n := range b.items {
			sum += n
		}
		if len(b.items) != 4 || sum != 600+30 {
			t.Fatalf("%v: %d items, sum %d, want 4 and 630", b.items, len(b.items), sum)
		}
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
