package overreportingunchecked

import (
	"sync/atomic"
	"testing"
	"time"
)

// during runs unit and, the first time that unit pauses, other in a second
// goroutine. It waits for both and tells whether other could finish while unit
// was paused.
func during(unit, other func()) (between bool) {
	var calls atomic.Int32
	done := make(chan struct{})
	pause = func() {
		if calls.Add(1) != 1 {
			return
		}
		go func() {
			defer close(done)
			other()
		}()
		select {
		case <-done:
			between = true
		case <-time.After(10 * time.Second):
		}
	}
	defer func() { pause = func() {} }()
	unit()
	<-done
	return between
}

func TestRun(t *testing.T) { Run() }

// AV1
func TestEntryIsLost(t *testing.T) {
	var m Map
	between := during(m.Init, func() {
		m.Init()
		m.Put("a", 1)
	})
	if _, ok := m.Get("a"); !between || ok {
		t.Errorf("between = %v, the entry is there: %v; want it lost", between, ok)
	}
}
