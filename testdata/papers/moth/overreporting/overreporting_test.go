package overreporting

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

func TestInitTwice(t *testing.T) {
	var m Map
	var inside int
	between := during(m.Init, func() {
		m.Init()
		inside, _ = m.Get("")
	})
	after, ok := m.Get("")
	if !between || inside != after || !ok || len(m.keys) != len(m.values) {
		t.Errorf("between = %v, the map differs after the second initialisation: %d, %d", between, inside, after)
	}
}
