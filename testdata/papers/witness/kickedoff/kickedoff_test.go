package kickedoff

import (
	"testing"
)

func TestIdleInTheEnd(t *testing.T) {
	for range 100 {
		if !kick().Idle() {
			t.Fatal("a battle or the game is still open")
		}
	}
}

func TestRun(t *testing.T) {
	for range 20 {
		Run()
	}
}
