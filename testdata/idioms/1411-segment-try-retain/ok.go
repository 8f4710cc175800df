// Package segment shares loaded index segments between queries.
package segment

import (
	"sync"
	"sync/atomic"
)

type Segment struct {
	id    string
	refs  atomic.Int64
	unmap func()
	Rows  []string
}

// tryRetain takes a reference unless the segment is already on its way out.
func (s *Segment) tryRetain() bool {
	for {
		n := s.refs.Load()
		if n == 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

type Loader func(id string) (rows []string, unmap func(), err error)

type Cache struct {
	load Loader

	mu   sync.Mutex
	byID map[string]*Segment
}

func NewCache(load Loader) *Cache {
	return &Cache{load: load, byID: make(map[string]*Segment)}
}

// Acquire returns a segment that stays mapped until Release.
func (c *Cache) Acquire(id string) (*Segment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.byID[id]; ok && s.tryRetain() {
		return s, nil
	}
	rows, unmap, err := c.load(id)
	if err != nil {
		return nil, err
	}
	s := &Segment{id: id, Rows: rows, unmap: unmap}
	s.refs.Store(1)
	c.byID[id] = s
	return s, nil
}

func (c *Cache) forget(s *Segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID[s.id] == s {
		delete(c.byID, s.id)
	}
}

// Release gives back one reference; the last one unmaps the segment.
func (c *Cache) Release(s *Segment) {
	if s.refs.Add(-1) > 0 {
		return
	}
	c.forget(s)
	s.unmap()
}

func (c *Cache) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byID)
}

// With runs fn over the rows of a segment.
func (c *Cache) With(id string, fn func(rows []string)) error {
	s, err := c.Acquire(id)
	if err != nil {
		return err
	}
	defer c.Release(s)
	fn(s.Rows)
	return nil
}
