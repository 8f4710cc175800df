// Command handlers has functions that a package of another one keeps and calls.
package main

import (
	"sync"

	"handlers/router"
)

type counter struct {
	mu   sync.Mutex
	hits map[string]int

	all, seen int
}

func newCounter(r *router.Router) *counter {
	c := &counter{hits: make(map[string]int)}
	r.HandleFunc("/hit", c.hit)
	r.Append(c.add)
	r.Send(c.sum)
	r.Each(c.mark)
	r.Visit(c.visit)
	c.mu.Lock()
	r.Visit(func(path string) { c.all++ })
	c.mu.Unlock()
	return c
}

// hit is called for each request, by as many goroutines as there are requests.
func (c *counter) hit(path string) {
	c.mu.Lock()
	n := c.hits[path]
	c.mu.Unlock()
	c.mu.Lock()
	c.hits[path] = n + 1 // want `c.hits\[path\] was read`
	c.mu.Unlock()
}

// add is appended to a list, in a struct.
func (c *counter) add(path string) {
	c.mu.Lock()
	n := c.hits[path]
	c.mu.Unlock()
	c.mu.Lock()
	c.hits[path] = n + 1 // want `c.hits\[path\] was read`
	c.mu.Unlock()
}

// sum is sent to a channel, in a struct.
func (c *counter) sum(path string) {
	c.mu.Lock()
	n := c.hits[path]
	c.mu.Unlock()
	c.mu.Lock()
	c.hits[path] = n + 1 // want `c.hits\[path\] was read`
	c.mu.Unlock()
}

// mark is called by the function that it is given to, in the only goroutine.
func (c *counter) mark(string) {
	c.mu.Lock()
	n := c.all
	c.mu.Unlock()
	c.mu.Lock()
	c.all = n + 1
	c.mu.Unlock()
}

// visit becomes an object with a method, which the same goroutine calls.
func (c *counter) visit(string) {
	c.mu.Lock()
	n := c.seen
	c.mu.Unlock()
	c.mu.Lock()
	c.seen = n + 1
	c.mu.Unlock()
}

// grow adds to what a literal adds to under the lock.
func (c *counter) grow() {
	c.mu.Lock()
	n := c.all
	c.mu.Unlock()
	c.mu.Lock()
	c.all = n + 1 // want `c.all was read`
	c.mu.Unlock()
}

func main() {
	var r router.Router
	c := newCounter(&r)
	go r.Run()
	for range 2 {
		go c.grow()
	}
	select {}
}
