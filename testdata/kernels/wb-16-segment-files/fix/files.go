// Package segment reads the segments of a log, with few files open.
package segment

import (
	"container/list"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

type segment struct {
	name string
	f    *os.File
	use  sync.RWMutex // read-locked while f is used
}

// Files keeps the files open that were used last. It is made for many readers.
type Files struct {
	dir string
	max int

	mu     sync.Mutex
	recent *list.List // of *segment, the newest in front
	byName map[string]*list.Element
}

// NewFiles reads from dir and has at most max files open.
func NewFiles(dir string, max int) *Files {
	return &Files{
		dir:    dir,
		max:    max,
		recent: list.New(),
		byName: make(map[string]*list.Element),
	}
}

// lookup returns a segment whose use is read-locked.
func (c *Files) lookup(name string) (*segment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byName[name]; ok {
		c.recent.MoveToFront(e)
		s := e.Value.(*segment)
		s.use.RLock()
		return s, nil
	}
	f, err := os.Open(filepath.Join(c.dir, name))
	if err != nil {
		return nil, err
	}
	for c.recent.Len() >= c.max {
		c.evict(c.recent.Back())
	}
	s := &segment{name: name, f: f}
	s.use.RLock()
	c.byName[name] = c.recent.PushFront(s)
	return s, nil
}

// evict closes a file. c.mu is held.
func (c *Files) evict(e *list.Element) error {
	s := c.recent.Remove(e).(*segment)
	delete(c.byName, s.name)
	s.use.Lock()
	defer s.use.Unlock()
	return s.f.Close()
}

// ReadAt reads from a segment.
func (c *Files) ReadAt(name string, p []byte, off int64) (int, error) {
	s, err := c.lookup(name)
	if err != nil {
		return 0, err
	}
	defer s.use.RUnlock()
	return s.f.ReadAt(p, off)
}

// Close closes all files. Nobody may read any more.
func (c *Files) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for c.recent.Len() > 0 {
		errs = append(errs, c.evict(c.recent.Back()))
	}
	return errors.Join(errs...)
}
