package startjoin

import (
	"testing"
)

func TestTotal(t *testing.T) {
	for range 100 {
		if n := total(); n != 20 {
			t.Fatalf("total %d, want 20", n)
		}
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
