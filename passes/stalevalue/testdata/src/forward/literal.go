package forward

import (
	"os"
	"sync"
	"sync/atomic"
)

// Files keeps open files. What a section finds that is a literal is left in a variable.
type Files struct {
	mu   sync.Mutex
	open map[string]*file
}

type file struct {
	f    *os.File
	refs atomic.Int64
}

func (e *file) release() {
	if e.refs.Add(-1) == 0 {
		e.f.Close()
	}
}

func (c *Files) find(path string) *file {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[path]
}

// Acquire may get a file that Evict has closed.
func (c *Files) Acquire(path string) *file {
	e := c.find(path)
	if e == nil {
		return nil
	}
	e.refs.Add(1) // want `check-then-act: c\.open\[path\] was checked at line 34`
	return e
}

func (c *Files) Evict(path string) {
	var e *file
	func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		e = c.open[path]
		delete(c.open, path)
	}()
	if e != nil {
		e.release()
	}
}
