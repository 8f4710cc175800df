// Package elevatorok is elevator with one lock for all floors and with the whole
// search for people who wait in one critical section.
//
// No violation: no call and no other lift comes between the looks at two floors,
// nor between the look at a floor and its claim.
package elevatorok

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
	upPeople   []int
	downPeople []int
	upFlag     bool
	downFlag   bool
}

// Controls are what the people and the lifts share.
type Controls struct {
	mu     sync.Mutex
	floors [floors]floor
}

// Push has somebody call a lift. The first to call clears the flag.
func (c *Controls) Push(from, to int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &c.floors[from]
	if to > from {
		f.upPeople = append(f.upPeople, to)
		f.upFlag = f.upFlag && len(f.upPeople) > 1
	} else {
		f.downPeople = append(f.downPeople, to)
		f.downFlag = f.downFlag && len(f.downPeople) > 1
	}
}

// checkUp and the other methods of a floor are called with the lock.
func (f *floor) checkUp() bool { return len(f.upPeople) > 0 && !f.upFlag }

func (f *floor) checkDown() bool { return len(f.downPeople) > 0 && !f.downFlag }

// claim promises to come if people wait for a lift up or down.
func (f *floor) claim(up bool) bool {
	if up && f.checkUp() {
		pause()
		f.upFlag = true
		return true
	}
	if !up && f.checkDown() {
		pause()
		f.downFlag = true
		return true
	}
	return false
}

// claim promises to come to a floor on which people wait for a lift up or down.
func (c *Controls) claim(n int, up bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.floors[n].claim(up)
}

// people takes those who wait.
func (c *Controls) people(n int, up bool) (people []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &c.floors[n]
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
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range floors {
		n = (at + i) % floors
		if c.floors[n].claim(true) {
			return n, true, true
		}
		if c.floors[n].claim(false) {
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
