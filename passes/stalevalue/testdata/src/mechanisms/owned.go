package mechanisms

import "sync"

// What the section of the read begins.
type crew struct {
	mu      sync.Mutex
	busy    bool
	closed  bool
	next    int
	queue   []int
	working bool
	calls   map[int]*call
}

type call struct{ n int }

func (c *crew) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	clear(c.calls)
}

func (c *crew) Reopen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = false
	clear(c.calls)
}

func (c *crew) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = 0
	c.queue = nil
	c.working = false
}

func (c *crew) Push(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, n)
	c.working = true
}

// Run is the only one that runs.
func (c *crew) Run(work func() int) {
	c.mu.Lock()
	if c.busy {
		c.mu.Unlock()
		return
	}
	c.busy = true
	n := c.next
	c.mu.Unlock()

	if n == 0 {
		n = work()
		c.mu.Lock()
		c.next = n
		c.mu.Unlock()
	}

	c.mu.Lock()
	c.busy = false
	c.mu.Unlock()
}

func (c *crew) RunAnyway(work func() int) {
	c.mu.Lock()
	if c.busy {
		c.mu.Unlock()
		return
	}
	n := c.next
	c.mu.Unlock()

	if n == 0 {
		n = work()
		c.mu.Lock()
		c.next = n // want `check-then-act: c\.next was checked`
		c.mu.Unlock()
	}
}

// Drain says that it works, and takes that back.
func (c *crew) Drain(log func(int)) {
	c.mu.Lock()
	n := len(c.queue)
	c.working = true
	c.mu.Unlock()
	if n == 0 {
		c.mu.Lock()
		c.working = false
		c.mu.Unlock()
	}
}

func (c *crew) Idle(log func(int)) {
	c.mu.Lock()
	n := len(c.queue)
	c.mu.Unlock()
	if n == 0 {
		c.mu.Lock()
		c.working = false // want `check-then-act: c\.queue was checked`
		c.mu.Unlock()
	}
}

// Do takes back its call if the crew is closed. What is there then may be of another one, since others remove calls, too.
func (c *crew) Do(id int) {
	c.mu.Lock()
	closed := c.closed
	c.calls[id] = &call{id}
	c.mu.Unlock()
	if closed {
		c.mu.Lock()
		delete(c.calls, id) // want `whatever is there by now`
		c.mu.Unlock()
	}
}

// DoAlone ends the call that it has entered if there was none.
func (c *crew) DoAlone(id int) {
	c.mu.Lock()
	closed := c.closed
	first := c.calls[id] == nil
	if first {
		c.calls[id] = &call{id}
	}
	c.mu.Unlock()
	if !closed && first {
		c.mu.Lock()
		delete(c.calls, id) // want `whatever is there by now`
		c.mu.Unlock()
	}
}

func (c *crew) Undo(id int) {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		c.mu.Lock()
		delete(c.calls, id) // want `check-then-act: c\.closed was checked`
		c.mu.Unlock()
	}
}

// A gang is as a crew, but enters some calls only.
type gang struct {
	mu     sync.Mutex
	closed bool
	calls  map[int]*call
}

// DoSome may end the call of somebody else: it does not know whether it has entered one.
func (g *gang) DoSome(id int) {
	g.mu.Lock()
	closed := g.closed
	if id < 3 || id > 9 {
		g.calls[id] = &call{id}
	}
	g.mu.Unlock()
	if closed {
		g.mu.Lock()
		delete(g.calls, id) // want `check-then-act: g.closed was checked`
		g.mu.Unlock()
	}
}

func (g *gang) Close() {
	g.mu.Lock()
	g.closed = true
	g.calls = make(map[int]*call)
	g.mu.Unlock()
}

func (g *gang) Open() {
	g.mu.Lock()
	g.closed = false
	g.calls = make(map[int]*call)
	g.mu.Unlock()
}
