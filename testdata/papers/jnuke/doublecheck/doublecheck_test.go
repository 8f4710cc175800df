package doublecheck

import (
	"testing"
)

func TestNoUpdateIsLost(t *testing.T) {
	for range 100 {
		if n := update().Get(); n != 40 {
			t.Fatalf("%d, want 40", n)
		}
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
