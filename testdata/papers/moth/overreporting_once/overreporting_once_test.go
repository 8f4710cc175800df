package overreportingonce

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
		case <-time.After(50 * time.Millisecond):
		}
	}
	defer func() { pause = func() {} }()
	unit()
	<-done
	return between
}

func TestRun(t *testing.T) { Run() }

func TestEntryIsKept(t *testing.T) {
	var m Map
	between := during(m.Init, func() {
		m.Init()
		m.Put("a", 1)
	})
	if between {
		t.Error("the map was used before its initialisation was over")
	}
	if v, ok := m.Get("a"); !ok || v != 1 {
		t.Errorf("Get(a) = %d, %v, want 1, true", v, ok)
	}
}
