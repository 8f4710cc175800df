package nestedlocks

import (
	"testing"
)

func TestNothingIsLost(t *testing.T) {
	for range 100 {
		if n := restock().Level(); n != 80 {
			t.Fatalf("level %d, want 80", n)
		}
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
