package philoif

import (
	"sync"
	"testing"
	"time"
)

func TestRun(t *testing.T) { Run() }

// wakeWithOneFork has philosopher 1 wait for the forks of 0 and 2 and puts those
// of 0 back. It tells whether philosopher 1 got fork 2, which 2 still has.
func wakeWithOneFork(patience time.Duration) (got bool) {
	table := NewTable()
	table.GetForks(0)
	table.GetForks(2)

	waits, eats := make(chan struct{}), make(chan struct{})
	var first sync.Once
	pause = func() { first.Do(func() { close(waits) }) }
	defer func() { pause = func() {} }()
	go func() {
		table.GetForks(1)
		close(eats)
	}()
	<-waits
	table.PutForks(0) // has the lock only after Wait has given it away

	select {
	case <-eats:
		got = true
	case <-time.After(patience):
	}
	table.PutForks(2)
	<-eats
	return got
}

// AV1
func TestForkHasTwoOwners(t *testing.T) {
	if !wakeWithOneFork(10 * time.Second) {
		t.Error("philosopher 1 did not get the fork that philosopher 2 has")
	}
}
