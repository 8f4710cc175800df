package allocatevectorok

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

func TestAllocateOnce(t *testing.T) {
	v := NewAllocationVector(2)
	var i, j int
	var first, second error
	between := during(
		func() { i, first = v.Allocate() },
		func() { j, second = v.Allocate() })
	if between || first != nil || second != nil || i == j {
		t.Errorf("between = %v, the clients got %d, %v and %d, %v; want two blocks", between, i, first, j, second)
	}
}

func TestRunDoesNotFail(t *testing.T) {
	for _, err := range Run() {
		if err != nil {
			t.Error(err)
		}
	}
}
