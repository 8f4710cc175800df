package harm

import (
	"sync"
)

type C struct {
	mu    sync.Mutex
	n     int
	done  bool
	ch    chan int
	cache map[string]int
}

func New() *C { return &C{ch: make(chan int), cache: map[string]int{}} }

func (c *C) Close() {
	c.mu.Lock()
	done := c.done
	c.mu.Unlock()
	if done {
		return
	}
	c.mu.Lock()
	c.done = true
	c.mu.Unlock()
	close(c.ch)
}

func (c *C) Inc() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n + 1
	c.mu.Unlock()
}

func (c *C) Get(k string) int {
	c.mu.Lock()
	v, ok := c.cache[k]
	c.mu.Unlock()
	if ok {
		return v
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.cache[k]; ok {
		return v
	}
	c.cache[k] = 1
	return 1
}

// Careful looks again, by a function that is handed over.
func (c *C) Careful(latest func(was int) int) {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	n = latest(n)
	c.n = n + 1
}

// N returns the number.
func (c *C) N() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
