package files

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
)

type entry struct {
	file *os.File
	refs atomic.Int32
}

func (e *entry) release() {
	if e.refs.Add(-1) == 0 {
		_ = e.file.Close()
	}
}

type Cache struct {
	mu   sync.Mutex
	open map[string]*entry
	hits int
}

func NewCache() *Cache { return &Cache{open: map[string]*entry{}} }

func (c *Cache) find(path string) (*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.open[path]
	if ok {
		c.hits++
		e.refs.Add(1)
		return e, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	e = &entry{file: f}
	e.refs.Store(2)
	c.open[path] = e
	return e, nil
}

func (c *Cache) Acquire(path string) (io.ReaderAt, func(), error) {
	e, err := c.find(path)
	if err != nil {
		return nil, nil, err
	}
	return e.file, e.release, nil
}

func (c *Cache) Evict(path string) bool {
	c.mu.Lock()
	e, ok := c.open[path]
	delete(c.open, path)
	c.mu.Unlock()
	if ok {
		e.release()
	}
	return ok
}

func (c *Cache) Hits() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits
}
