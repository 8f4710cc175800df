package driver

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestDelayCollection sees that the heap is collected as usual after the first
// collection, and that GOGC is obeyed.
func TestDelayCollection(t *testing.T) {
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	usual := percent()
	t.Cleanup(func() { debug.SetGCPercent(usual) })

	t.Setenv("GOGC", "50")
	if delayCollection(); percent() != usual {
		t.Errorf("with GOGC the percentage is %d, want %d", percent(), usual)
	}
	t.Setenv("GOGC", "")
	if delayCollection(); percent() <= usual {
		t.Errorf("the first collection is not put off: the percentage is %d", percent())
	}
	// Cleanups run some time after the collection that finds them due.
	for range 1000 {
		if runtime.GC(); percent() == usual {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("after collections the percentage is %d, want %d", percent(), usual)
}
