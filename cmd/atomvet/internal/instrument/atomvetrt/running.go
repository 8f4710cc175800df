package atomvetrt

import (
	"fmt"
	"time"
)

// Bounds of waiting in a trial.
const (
	// patience is for one of the functions. If several have blocked, the others get less.
	patience  = 2 * time.Second
	maxBlocks = 5
	// grace is for the goroutine that a function has started.
	grace = 5 * time.Millisecond
)

// blocks counts the functions that have not ended in time.
var blocks int

// A running is a function that runs in a goroutine of its own.
type running chan ended

// An ended says how a function has ended, and what it has returned.
type ended struct{ how, values string }

func (e ended) String() string { return e.how + e.values }

func begin(f func() []any) running {
	done := make(running, 1)
	go func() {
		e := ended{how: "ends its goroutine"}
		defer func() { done <- e }()
		defer func() {
			if r := recover(); r != nil {
				e = ended{how: fmt.Sprintf("panics: %v", r)}
			}
		}()
		e = ended{"returns ", dump(f())}
	}()
	return done
}

func (r running) wait() ended {
	limit := patience
	if blocks >= maxBlocks {
		limit /= 20
	}
	select {
	case e := <-r:
		r <- e
		return e
	case <-time.After(limit):
		blocks++
		return ended{how: "blocks"}
	}
}

// paused waits until a goroutine is in a pause, or the function has ended and none that it may have
// started pauses.
func paused(r running) bool {
	var end time.Time
	for since := time.Now(); time.Since(since) < patience; time.Sleep(poll) {
		mu.Lock()
		n := pausing
		mu.Unlock()
		if n > 0 {
			return true
		}
		switch {
		case len(r) == 0:
		case end.IsZero():
			end = time.Now()
		case time.Since(end) > grace:
			return false
		}
	}
	return false
}

// endPauses ends the pauses that last: the rival has run.
func endPauses() {
	mu.Lock()
	defer mu.Unlock()
	hurry = pausing
}

// settled waits until no check waits for its act, in goroutines that the unit has started.
func settled() {
	for since := time.Now(); time.Since(since) < grace; time.Sleep(poll) {
		mu.Lock()
		n := len(pendings)
		mu.Unlock()
		if n == 0 {
			return
		}
	}
}
