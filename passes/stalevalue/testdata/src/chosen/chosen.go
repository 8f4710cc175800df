// Package chosen has objects that a function chooses by what it finds out of them: who gets the
// chosen one knows of it what was found, at that time.
package chosen

import "sync"

type conn struct {
	mu   sync.Mutex
	busy int
	max  int
}

func (c *conn) free() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy < c.max
}

func (c *conn) take() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy++
}

// tryTake looks by itself.
func (c *conn) tryTake() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy >= c.max {
		return false
	}
	c.busy++
	return true
}

func (c *conn) give() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy--
}

// A Set has connections in a list, and by name.
type Set struct {
	mu     sync.Mutex
	conns  []*conn
	byName map[string]*conn
}

func (s *Set) Add(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &conn{max: n}
	s.conns = append(s.conns, c)
	s.byName[name] = c
}

func (s *Set) pick() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		if c.free() {
			return c
		}
	}
	return nil
}

// Do takes a connection that was free when pick looked.
func (s *Set) Do(job func()) bool {
	c := s.pick()
	if c == nil {
		return false
	}
	c.take() // want `check-then-act: conn\.busy was checked at line 70, but conn\.mu was released when pick returned`
	job()
	c.give()
	return true
}

// DoIfFree takes one that is still free.
func (s *Set) DoIfFree(job func()) bool {
	c := s.pick()
	if c == nil || !c.tryTake() {
		return false
	}
	job()
	c.give()
	return true
}

// DoInLine chooses by itself.
func (s *Set) DoInLine(job func()) bool {
	s.mu.Lock()
	var best *conn
	for _, c := range s.conns {
		if c.free() {
			best = c
			break
		}
	}
	s.mu.Unlock()
	if best == nil {
		return false
	}
	best.take() // want `check-then-act: conn\.busy was checked at line 96`
	job()
	best.give()
	return true
}

// pickHeld takes the connection in the section in which it looks.
func (s *Set) pickHeld() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		if c.tryTake() {
			return c
		}
	}
	return nil
}

// DoHeld gets a connection that is taken.
func (s *Set) DoHeld(job func()) bool {
	c := s.pickHeld()
	if c == nil {
		return false
	}
	job()
	c.give()
	return true
}

// get has two returns, and unlocks when it has left.
func (s *Set) get(name string) *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.byName[name]
	if c != nil && c.free() {
		return c
	}
	return nil
}

// DoNamed takes the connection of a name, which was free when get looked.
func (s *Set) DoNamed(name string, job func()) bool {
	c := s.get(name)
	if c == nil {
		return false
	}
	c.take() // want `check-then-act: s\.byName\[…\]\.busy was checked at line 147, but .* was released when get returned`
	job()
	c.give()
	return true
}
