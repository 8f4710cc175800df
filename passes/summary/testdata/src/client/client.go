// Package client uses package store: what it knows of that comes from facts. // want package:"summary"
package client

import "store"

type Client struct {
	s *store.Store
	g store.Guarded[int]
	n int
}

// The value that is written comes from the read: it is not pure.
func (c *Client) Inc(k string) { // want `: region 0 p0.s.mu exclusive; region 1 p0.s.mu exclusive; 0 write Store.items\[p1\] of p0.s in 0 (looked )?from p1,\d if p1,\d; .*read Store.items\[p1\] of p0.s in 1`
	v, ok := c.s.Get(k)
	if ok {
		c.s.Put(k, v+1)
	}
}

// A constant key is the same key in both.
func (c *Client) IncConstant() { // want `write Store.items\[="a"\] of p0.s in 0 .*read Store.items\[="a"\] of p0.s in 1`
	v, _ := c.s.Get("a")
	c.s.Put("a", v+1)
}

func (c *Client) Locked() { // want `: region 0 p0.s.mu exclusive; 0 write Client.n of p0 in 0 `
	c.s.Lock()
	c.n++
	c.s.Unlock()
}

func (c *Client) TryLocked() { // want `: region 0 p0.s.mu exclusive; 0 write Client.n of p0 in 0 `
	if c.s.TryLock() {
		c.n++
		c.s.Unlock()
	}
}

func (c *Client) Update() { // want `: region 0 p0.s.mu exclusive; 0 write Client.n of p0 in 0 `
	c.s.Update(func(m map[string]int) { c.n++ }) // want `: 0 write Client.n of f0 .*; entered with f0.s.mu exclusive$`
}

func (c *Client) Yield() { // want `: region 0 p0.s.mu exclusive; region 1 p0.s.mu exclusive; 0 write Client.n of p0 in 0 .*from \d; .*read Client.n of p0 in 1`
	c.s.Lock()
	n := c.n
	c.s.Yield()
	c.n = n + 1
	c.s.Unlock()
}

func (c *Client) Start() { // want `: (.*; )?starts goroutines$`
	c.s.Lock()
	c.s.Start(func() { c.n++ }) // want `: 0 write Client.n of f0 [^;]*(; 1 read Client.n of f0 owned)?$`
	c.s.Unlock()
}

func (c *Client) Hook() { // want `: region 0 p0.s.mu exclusive; 0 write Store.hook of p0.s in 0 `
	c.s.OnChange(func() { c.n++ }) // want `: 0 write Client.n of f0 [^;]*(; 1 read Client.n of f0 owned)?$`
}

// known: a function without locks has no fact, even if its result is a part of an argument
func (c *Client) Self() { // want `: region 0 p0.s.mu exclusive; 0 write Client.n of p0 in 0 `
	c.s.Self().Lock()
	c.n++
	c.s.Unlock()
}

func (c *Client) Set(v int) { // want `: region 0 p0.g.mu exclusive; 0 write Guarded.val of p0.g in 0 .*from p1`
	c.g.Set(v)
}

func (c *Client) Double() { // want `: region 0 p0.g.mu exclusive; 0 write Guarded.val of p0.g in 0 .*from \d; .*read Guarded.val of p0.g in 0 `
	c.g.Update(func(v int) int { return 2 * v }) // want `result 0 from p0; entered with \S+ exclusive$`
}

func (c *Client) Name() string { return c.s.Name() }

// Fresh works on an object that nobody else knows.
// known: a function without locks has no fact, even if its result is a new object
func Fresh() *store.Store { // want `: result 0 fresh$`
	s := store.New("x")
	s.Put("a", 1)
	return s
}
