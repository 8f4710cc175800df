// Package nasa is NASA of the MoTH suite (MoTH, Table 1; Artho, Havelund and
// Biere 2003, Figure 2): a model of the Remote Agent. Tasks ask for a value of a
// property of the system, bring it about, and note that it is achieved; a daemon
// watches that achieved properties keep their values.
//
// AV1: task. setValue; check of the daemon; setAchieved: the two writes are one
// statement about the property. A property destroyed after it was brought about
// and before the note is not seen by the daemon, and the task goes on.
package nasa

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

// setValue brings the property about, too: how that is done, and that it takes
// long, is left out of the model.
func (a *agent) setValue(i, v int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.table[i].value = v
	a.state[i] = v
}

func (a *agent) setAchieved(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.table[i].achieved = true
}

// check reports whether property i is as the table says.
func (a *agent) check(i int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	// The rest is read of achieved properties only.
	return !(a.table[i].achieved && a.state[i] != a.table[i].value)
}

func task(a *agent, v int) {
	a.setValue(property, v)
	pause()
	a.setAchieved(property)
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
