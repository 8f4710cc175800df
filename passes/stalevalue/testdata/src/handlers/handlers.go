// Command handlers has functions that a package of another one keeps and calls.
package main

import (
	"sync"

	"handlers/router"
)

type counter struct {
	mu   sync.Mutex
	hits map[string]int
	all  int
}

func newCounter(r *router.Router) *counter {
	c := &counter{hits: make(map[string]int)}
	r.HandleFunc("/hit", c.hit)
	r.Each(c.mark)
	return c
}

// hit is called for each request, by as many goroutines as there are requests.
func (c *counter) hit(path string) {
	c.mu.Lock()
	n := c.hits[path]
	c.mu.Unlock()
	c.mu.Lock()
	c.hits[path] = n + 1 // want `c.hits\[path\] was read at line 26`
	c.mu.Unlock()
}

// mark is called before there are requests.
func (c *counter) mark(string) {
	c.mu.Lock()
	n := c.all
	c.mu.Unlock()
	c.mu.Lock()
	c.all = n + 1
	c.mu.Unlock()
}

func main() {
	var r router.Router
	newCounter(&r)
	select {}
}
