package keys

import "sync"

// Check revokes what may have been renewed.
func (l *Lessor) Check(id, now int) {
	l.mu.Lock()
	e := l.leases[id]
	over := e != nil && e.until < now
	l.mu.Unlock()
	if over {
		_ = l.revoke(id) // want `check-then-act: l.leases\[…\].until was checked at line \d+`
	}
}

// CheckRight asks again.
func (l *Lessor) CheckRight(id, now int) {
	l.mu.Lock()
	e := l.leases[id]
	over := e != nil && e.until < now
	l.mu.Unlock()
	if over {
		_ = l.revokeIf(id, now)
	}
}

// CheckSame removes the lease if it still is what was found.
func (l *Lessor) CheckSame(id, now int) {
	l.mu.Lock()
	e := l.leases[id]
	over, seen := e != nil && e.until < now, 0
	if e != nil {
		seen = e.until
	}
	l.mu.Unlock()
	if !over {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.leases[id]; e != nil && equal(e, seen) {
		delete(l.leases, id)
	}
}

func equal(e *lease, until int) bool { return e.until == until }

// A docket has a state in which it ends, and a number of complaints that only grows.
type docket struct {
	state, blamed int
}

// A Court has dockets under numbers that are given once.
type Court struct {
	mu      sync.Mutex
	last    int
	dockets map[int]*docket
}

func (c *Court) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	c.dockets[c.last] = new(docket)
	return c.last
}

func (c *Court) Set(id, state int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.dockets[id]; d != nil {
		d.state = state
	}
}

func (c *Court) Complain(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.dockets[id]; d != nil {
		d.blamed++
	}
}

func (c *Court) remove(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.dockets, id)
}

// Close removes a docket in its last state.
func (c *Court) Close(id int) {
	c.mu.Lock()
	d := c.dockets[id]
	ended := d != nil && d.state == 3
	c.mu.Unlock()
	if ended {
		c.remove(id)
	}
}

// Blame removes one of which there are too many complaints, and there are no fewer later.
func (c *Court) Blame(id int) {
	c.mu.Lock()
	d := c.dockets[id]
	over := d != nil && d.blamed > 3
	c.mu.Unlock()
	if over {
		c.remove(id)
	}
}

// An inspector has the numbers of the leases that are over sent to its goroutine.
type inspector struct {
	mu     sync.Mutex
	leases map[int]*rent
	over   chan int
	last   int
}

func newInspector() *inspector {
	i := &inspector{leases: make(map[int]*rent), over: make(chan int, 8)}
	go i.revoke()
	return i
}

func (i *inspector) Grant() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last++
	i.leases[i.last] = &rent{id: i.last, until: 10}
	return i.last
}

func (i *inspector) Renew(id, until int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if e := i.leases[id]; e != nil {
		e.until = until
	}
}

func (i *inspector) revoke() {
	for id := range i.over {
		i.mu.Lock()
		delete(i.leases, id)
		i.mu.Unlock()
	}
}

// Check sends the number of a lease that may be renewed meanwhile.
func (i *inspector) Check(id, now int) {
	i.mu.Lock()
	e := i.leases[id]
	over := e != nil && e.until < now
	i.mu.Unlock()
	if over {
		i.over <- id // want `check-then-act: i.leases\[…\].until was checked at line \d+`
	}
}

// Sweep removes those that it has found to be over, in a section each.
func (i *inspector) Sweep(now int) {
	i.mu.Lock()
	var ids []int
	for id, e := range i.leases {
		if e.until < now {
			ids = append(ids, id)
		}
	}
	i.mu.Unlock()
	for _, id := range ids {
		i.mu.Lock()
		delete(i.leases, id) // want `check-then-act: i.leases.* was checked at line \d+`
		i.mu.Unlock()
	}
}

type rent struct{ id, until int }

// A shelf has goods by a name that they have themselves.
type shelf struct {
	mu    sync.Mutex
	goods map[string]good
	byID  sync.Map
}

type good struct{ name, text string }

func find(name string) (good, error) { return good{name: name + serialText()}, nil }

func serialText() string {
	serial++
	return string(rune(serial))
}

// Good puts in what was found, under its own name.
func (s *shelf) Good(name string) (good, error) {
	s.mu.Lock()
	g, ok := s.goods[name]
	s.mu.Unlock()
	if ok {
		return g, nil
	}
	found, err := find(name)
	if err != nil {
		return good{}, err
	}
	made := found
	s.mu.Lock()
	s.goods[made.name] = made // want `check-then-act: s.goods\[name\] was checked at line \d+`
	s.mu.Unlock()
	return made, nil
}

// parse makes the same of the same.
func parse(text string) good { return good{name: text + "!", text: text} }

// Parsed puts in what is the same each time.
func (s *shelf) Parsed(name string) good {
	s.mu.Lock()
	g, ok := s.goods[name]
	s.mu.Unlock()
	if ok {
		return g
	}
	made := parse(name)
	s.mu.Lock()
	s.goods[made.name] = made
	s.mu.Unlock()
	return made
}

func (s *shelf) Drop(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.goods, name)
}

func (s *shelf) Add(g good) { s.byID.LoadOrStore(g.name, g) }

// Describe puts a copy back under its own name.
func (s *shelf) Describe(name, text string) {
	v, ok := s.byID.Load(name)
	if !ok {
		return
	}
	g := v.(good)
	g.text += text
	s.byID.Store(g.name, g) // want `lost-update: s.byID\[name\] was read at line \d+`
}

// DescribeOther puts it under another name.
func (s *shelf) DescribeOther(name, other string) {
	v, ok := s.byID.Load(name)
	if !ok {
		return
	}
	g := v.(good)
	g.name = other
	s.byID.Store(g.name, g)
}
