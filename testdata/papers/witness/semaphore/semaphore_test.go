package semaphore

import (
	"testing"
)

func TestNoDepositIsLost(t *testing.T) {
	for range 100 {
		if n := deposits(); n != 16 {
			t.Fatalf("total %d, want 16", n)
		}
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
