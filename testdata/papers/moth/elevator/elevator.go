// Package elevator is Elevator of the MoTH paper, from ETH: lifts that claim the
// floors on which people wait. Every floor has a lock of its own.
//
// Nothing that does damage. The paper counts 16 violations, the ordered pairs of
// checkUp, claimUp2, checkDown and claimDown2 over two rounds of the loop in find:
// a lift looks at the next floor because there was nothing to do on this one, and
// somebody may call on this one by then. That call is found the next time.
//
// checkUp and claimUp2 of one floor are apart too: claimUp2 looks at the flag
// again, so that a call has one lift. It does not look at the people again: if
// another lift has come and gone meanwhile, this one goes to a floor on which
// nobody waits, and the next to call there clears the flag.
package elevator

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

const floors = 6

// A floor has the people who wait, by the floors they want to go to, and whether
// a lift has promised to come.
type floor struct {
	mu         sync.Mutex
	upPeople   []int
	downPeople []int
	upFlag     bool
	downFlag   bool
}

// Controls are what the people and the lifts share.
type Controls struct {
	floors [floors]floor
}

// Push has somebody call a lift. The first to call clears the flag.
func (c *Controls) Push(from, to int) {
	f := &c.floors[from]
	f.mu.Lock()
	defer f.mu.Unlock()
	if to > from {
		f.upPeople = append(f.upPeople, to)
		f.upFlag = f.upFlag && len(f.upPeople) > 1
	} else {
		f.downPeople = append(f.downPeople, to)
		f.downFlag = f.downFlag && len(f.downPeople) > 1
	}
}

func (f *floor) checkUp() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.upPeople) > 0 && !f.upFlag
}

func (f *floor) checkDown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.downPeople) > 0 && !f.downFlag
}

// claimUp2 promises to come unless another lift did.
func (f *floor) claimUp2() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.upFlag {
		return false
	}
	f.upFlag = true
	return true
}

// claimDown2 promises to come unless another lift did.
func (f *floor) claimDown2() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.downFlag {
		return false
	}
	f.downFlag = true
	return true
}

// claim promises to come to a floor on which people wait for a lift up or down.
func (c *Controls) claim(n int, up bool) bool {
	f := &c.floors[n]
	if up {
		if !f.checkUp() {
			return false
		}
		pause()
		return f.claimUp2()
	}
	if !f.checkDown() {
		return false
	}
	pause()
	return f.claimDown2()
}

// people takes those who wait.
func (c *Controls) people(n int, up bool) (people []int) {
	f := &c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	if up {
		people, f.upPeople, f.upFlag = f.upPeople, nil, false
	} else {
		people, f.downPeople, f.downFlag = f.downPeople, nil, false
	}
	return people
}

// find claims the floor a lift is on or else the next one up that it can, on from
// the lowest after the highest.
func (c *Controls) find(at int) (n int, up, ok bool) {
	for i := range floors {
		n = (at + i) % floors
		if c.claim(n, true) {
			return n, true, true
		}
		if c.claim(n, false) {
			return n, false, true
		}
		pause()
	}
	return 0, false, false
}

// A lift serves the floors. Only its own goroutine uses it.
type lift struct {
	c     *Controls
	floor int
	out   *atomic.Int32 // people who arrived
}

// doIdle looks for people who wait, and serves them.
func (l *lift) doIdle() bool {
	n, up, ok := l.c.find(l.floor)
	if ok {
		l.doMoving(n, up)
	}
	return ok
}

// doMoving goes to floor n, takes the people there and whom it finds on the way
// up or down, and lets everybody out where they want to.
func (l *lift) doMoving(n int, up bool) {
	people := l.c.people(n, up)
	for l.floor = n; len(people) > 0; {
		if up {
			l.floor++
		} else {
			l.floor--
		}
		before := len(people)
		people = slices.DeleteFunc(people, func(to int) bool { return to == l.floor })
		l.out.Add(int32(before - len(people)))
		if l.c.claim(l.floor, up) {
			people = append(people, l.c.people(l.floor, up)...)
		}
	}
}

// Run has three lifts serve sixty people and returns how many arrived.
func Run() int {
	const total = 60
	c := new(Controls)
	var out atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			l := &lift{c: c, out: &out}
			for out.Load() < total {
				if !l.doIdle() {
					time.Sleep(100 * time.Microsecond)
				}
			}
		})
	}
	for i := range total {
		c.Push(i%floors, (i+1+i/floors%(floors-1))%floors)
	}
	wg.Wait()
	return int(out.Load())
}
