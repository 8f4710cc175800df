package papers

import "sync"

// The elevator. A lift first looks whether people wait on a floor that no other
// lift comes to, then claims the floor, where it looks again, and takes them in.
// Pushing a button touches all that a floor has.

type person struct{ to int }

type floor struct {
	mu     sync.Mutex
	people []*person
	flag   bool // a lift is coming
	lamp   int
}

type controls struct {
	floors []*floor
}

func (c *controls) push(n int, p *person) {
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.people = append(f.people, p)
	if len(f.people) == 1 {
		f.flag = false
	}
	f.lamp = 1
}

// check looks at the flag only if there are people.
func (c *controls) check(n int) bool {
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.people) > 0 && !f.flag
}

func (c *controls) claim(n int) bool {
	if !c.check(n) {
		return false
	}
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.flag {
		return false
	}
	f.flag = true
	return true
}

func (c *controls) take(n int) []*person {
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.people
	f.people, f.flag, f.lamp = nil, false, 0
	return p
}

func (c *controls) lift(deliver func([]*person)) {
	for {
		for n := range c.floors {
			if c.claim(n) {
				deliver(c.take(n))
			}
		}
	}
}

func Elevator(calls <-chan int) {
	c := &controls{floors: []*floor{{}, {}, {}}}
	for range 3 {
		go c.lift(func([]*person) {})
	}
	for n := range calls {
		c.push(n, &person{})
	}
}
