// Package sensor is the sensor daemon of Fig. 4, of "Using block-local atomicity to
// detect stale-value concurrency errors".
//
// Right: Sensor.Poll is one critical section after the other, so it is not atomic
// as a whole. But each stores a new measurement, and none uses what another has
// read or written; there is nothing a reader in between could spoil, or be misled
// by.
package sensor

import (
	"runtime"
	"sync"
)

type Sensor struct {
	mu    sync.Mutex
	value int
}

func (s *Sensor) Value() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// Poll stores what measure says, n times.
func (s *Sensor) Poll(n int, measure func() int) {
	for range n {
		v := measure()
		s.mu.Lock()
		s.value = v
		s.mu.Unlock()
		runtime.Gosched()
	}
}

func Run() {
	s := &Sensor{}
	var wg sync.WaitGroup
	wg.Go(func() {
		degrees := 0
		s.Poll(10, func() int {
			degrees += 3
			return degrees
		})
	})
	for range 4 {
		wg.Go(func() { s.Value() })
	}
	wg.Wait()
}
