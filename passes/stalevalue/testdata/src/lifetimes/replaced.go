package lifetimes

import (
	"errors"
	"sync"
	"time"
)

var errClosed = errors.New("closed")

// A Depot keeps its goods in a store, which it replaces.
type Depot struct {
	mu  sync.RWMutex
	cur *store
}

type store struct {
	mu     sync.Mutex
	closed bool
	goods  map[string]int
}

func (s *store) Put(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.goods[name]++
	return nil
}

func (s *store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (d *Depot) store() *store {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.cur
}

func (d *Depot) Move(next *store) {
	d.mu.Lock()
	old := d.cur
	d.cur = next
	d.mu.Unlock()
	old.Close()
}

// Put may find a store that is closed when it puts something there.
func (d *Depot) Put(name string) error {
	return d.store().Put(name) // want `check-then-act: d.cur was found at line \d+; \(\*Depot\).Move \(.*\) may replace it by another one, and close it, in between: then this Put fails`
}

// PutAnyway looks for the next store.
func (d *Depot) PutAnyway(name string) error {
	for {
		if err := d.store().Put(name); err != errClosed {
			return err
		}
	}
}

// PutOrMove replaces the store itself if that fails.
func (d *Depot) PutOrMove(name string) error {
	err := d.store().Put(name)
	if err != nil {
		d.Move(&store{goods: make(map[string]int)})
	}
	return err
}

// PutLocked keeps Move out.
func (d *Depot) PutLocked(name string) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.cur.Put(name)
}

// A Garage gives the users of the old store time.
type Garage struct {
	mu  sync.RWMutex
	cur *store
}

func (g *Garage) Move(next *store) {
	g.mu.Lock()
	old := g.cur
	g.cur = next
	g.mu.Unlock()
	go func() {
		time.Sleep(time.Minute)
		old.Close()
	}()
}

func (g *Garage) Put(name string) error {
	g.mu.RLock()
	s := g.cur
	g.mu.RUnlock()
	return s.Put(name)
}

// A Cellar is emptied for good: a Put that comes later fails as well.
type Cellar struct {
	mu  sync.RWMutex
	cur *store
}

func (c *Cellar) Open(s *store) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cur == nil {
		c.cur = s
	}
}

func (c *Cellar) Close() {
	c.mu.Lock()
	old := c.cur
	c.cur = nil
	c.mu.Unlock()
	old.Close()
}

func (c *Cellar) Put(name string) error {
	c.mu.RLock()
	s := c.cur
	c.mu.RUnlock()
	if s == nil {
		return errClosed
	}
	return s.Put(name)
}
