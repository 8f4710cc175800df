// Package file has a comment that silences a finding, or try to.
package file

//lint:file-ignore lost-update one goroutine has the cells

/* want `no-effect: there is no finding of split-read here` */ //lint:file-ignore split-read nobody knows

import "sync"

type cell struct {
	mu sync.Mutex
	n  int
}

// set is another writer.
func (c *cell) Set(n int) {
	c.mu.Lock()
	c.n = n
	c.mu.Unlock()
}

func (c *cell) Far() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2
	c.mu.Unlock()
}
