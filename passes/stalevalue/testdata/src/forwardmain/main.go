// Command forwardmain begins with a function that main only calls.
package main

import "sync"

type counts struct {
	mu sync.Mutex
	m  map[string]int
}

var all = &counts{m: make(map[string]int)}

var others = &tally{m: make(map[string]int)}

func (c *counts) get(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[k]
}

func (c *counts) set(k string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = n
}

// worker is the only one that writes.
func worker() { all.set("a", all.get("a")+1) }

func run() {
	go worker()
	println(all.get("a"))
}

func main() { run() }

// bump is run by two goroutines.
func bump() {
	others.set("b", others.get("b")+1) // want `lost-update: others\.m\[.*\] was read`
}

func init() {
	go bump()
	go bump()
}

type tally struct {
	mu sync.Mutex
	m  map[string]int
}

func (c *tally) get(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[k]
}

func (c *tally) set(k string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = n
}
