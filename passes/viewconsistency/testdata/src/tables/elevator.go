package main

import "sync"

// The elevator has two false reports in the paper, one for each direction: check
// looks at the flag only if there are people, claim at nothing but the flag.

type person struct{ to int }

type floor struct {
	mu               sync.Mutex
	up, down         []*person
	upFlag, downFlag bool
}

type controls struct {
	floors []*floor
}

func (c *controls) pushUp(n int, p *person) {
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.up = append(f.up, p)
	if len(f.up) == 1 {
		f.upFlag = false
	}
}

func (c *controls) pushDown(n int, p *person) {
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = append(f.down, p)
	if len(f.down) == 1 {
		f.downFlag = false
	}
}

func (c *controls) checkUp(n int) bool {
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.up) > 0
}

func (c *controls) checkDown(n int) bool {
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.down) > 0
}

func (c *controls) claimUp(n int) bool {
	if !c.checkUp(n) {
		return false
	}
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.upFlag { // want `split-read: c\.floors\[…\]\.up at line 55 and c\.floors\[…\]\.upFlag here are read apart, in separate critical sections, but used together by \(\*controls\)\.pushUp`
		return false
	}
	f.upFlag = true
	return true
}

func (c *controls) claimDown(n int) bool {
	if !c.checkDown(n) {
		return false
	}
	f := c.floors[n]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.downFlag { // want `split-read: c\.floors\[…\]\.down at line 69 and c\.floors\[…\]\.downFlag here are read apart, in separate critical sections, but used together by \(\*controls\)\.pushDown`
		return false
	}
	f.downFlag = true
	return true
}

func (c *controls) lift(deliver func(int)) {
	for {
		for n := range c.floors {
			if c.claimUp(n) || c.claimDown(n) {
				deliver(n)
			}
		}
	}
}

func elevator() {
	c := &controls{floors: []*floor{{}, {}, {}}}
	for range 3 {
		go c.lift(func(int) {})
	}
	for n := range c.floors {
		c.pushUp(n, &person{})
		c.pushDown(n, &person{})
	}
}
