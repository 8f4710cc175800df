// Package nasaok is NASA of the MoTH suite (MoTH, Table 1; Artho, Havelund and
// Biere 2003, Figure 2) put right: a task asks for a value, brings it about and
// notes that in one critical section, so the daemon sees a property either
// before or after. The price is that bringing a property about, which takes
// long and is left out of the model, would happen with the lock held.
package nasaok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// property is the one that all tasks want.
const property = 42

type entry struct {
	value    int
	achieved bool
}

type agent struct {
	mu    sync.Mutex
	table [64]entry
	state [64]int // of the system
}

// check reports whether property i is as the table says.
func (a *agent) check(i int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	// The rest is read of achieved properties only.
	return !(a.table[i].achieved && a.state[i] != a.table[i].value)
}

func task(a *agent, v int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.table[property].value = v
	a.state[property] = v
	pause()
	a.table[property].achieved = true
}

// daemon checks a number of times and reports whether all was well.
func daemon(a *agent, rounds int) bool {
	for range rounds {
		if !a.check(property) {
			return false
		}
	}
	return true
}

// Run starts three tasks and the daemon.
func Run() {
	a := new(agent)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { task(a, 7) })
	}
	wg.Go(func() { daemon(a, 100) })
	wg.Wait()
}
