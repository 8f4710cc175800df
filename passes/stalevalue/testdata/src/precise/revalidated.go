// Package precise has code that is correct because a later look decides, because values only
// grow, or because what is done twice is the same; and beside each its wrong neighbour.
package precise

import "sync"

// A Roll has its members by number and by name.
type Roll struct {
	mu     sync.Mutex
	byID   map[int]*member
	byName map[string]*member
	last   int
	closed bool
}

type member struct {
	id    int
	name  string
	calls int
}

func (r *Roll) find(id int) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// getOrAdd fills both indexes if the name is in neither.
func (r *Roll) getOrAdd(name string) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.byName[name]; m != nil {
		return m
	}
	r.last++
	m := &member{id: r.last, name: name}
	r.byName[name] = m
	r.byID[m.id] = m
	return m
}

// add does not look.
func (r *Roll) add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	m := &member{id: r.last, name: name}
	r.byName[name] = m
	r.byID[m.id] = m
}

func (r *Roll) Leave(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, m.id)
	delete(r.byName, m.name)
}

func (r *Roll) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.byID, r.byName = nil, nil
}

// Enter looks by number first; that the name is there already is seen by getOrAdd.
func (r *Roll) Enter(id int, name string) *member {
	m := r.find(id)
	if m == nil {
		m = r.getOrAdd(name)
	}
	return m
}

func (r *Roll) EnterBlind(id int, name string) {
	if r.find(id) == nil {
		r.add(name) // want `check-then-act: r\.byID\[id\] was checked at line \d+`
	}
}

// Seats are lines to a server.
type Seats struct {
	mu    sync.Mutex
	lines map[string][]*line
	limit int
	dial  func(addr string) int
}

type line struct{ used, max int }

// Take searches again after it has added a line: one line too many does no harm.
func (s *Seats) Take(addr string) *line {
	for {
		s.mu.Lock()
		for _, l := range s.lines[addr] {
			if l.used < l.max {
				l.used++
				s.mu.Unlock()
				return l
			}
		}
		s.mu.Unlock()
		n := s.dial(addr)
		s.mu.Lock()
		s.lines[addr] = append(s.lines[addr], &line{max: n})
		s.mu.Unlock()
	}
}

// TakeLimited may exceed the limit.
func (s *Seats) TakeLimited(addr string) *line {
	for {
		s.mu.Lock()
		for _, l := range s.lines[addr] {
			if l.used < l.max {
				l.used++
				s.mu.Unlock()
				return l
			}
		}
		full := len(s.lines[addr]) >= s.limit
		s.mu.Unlock()
		if full {
			continue
		}
		n := s.dial(addr)
		s.mu.Lock()
		s.lines[addr] = append(s.lines[addr], &line{max: n}) // want `check-then-act: s\.lines\[addr\] was checked at line \d+`
		s.mu.Unlock()
	}
}

// TakeNew uses the line that it has added: a rival has added one as well.
func (s *Seats) TakeNew(addr string) *line {
	s.mu.Lock()
	for _, l := range s.lines[addr] {
		if l.used < l.max {
			l.used++
			s.mu.Unlock()
			return l
		}
	}
	s.mu.Unlock()
	l := &line{used: 1, max: s.dial(addr)}
	s.mu.Lock()
	s.lines[addr] = append(s.lines[addr], l) // want `check-then-act: s\.lines\[addr\] was checked at line \d+`
	s.mu.Unlock()
	return l
}

func (s *Seats) Release(l *line) {
	s.mu.Lock()
	l.used--
	s.mu.Unlock()
}

// A Paper is shared with other programs by a store, which compares and swaps.
type Paper struct {
	mu      sync.Mutex
	lines   []string
	version int
	store   store // nil if it is not shared
}

type store interface {
	load() ([]string, int)
	swap(lines []string, version int) (int, error)
}

func (p *Paper) Refresh() {
	lines, v := p.store.load()
	p.mu.Lock()
	defer p.mu.Unlock()
	if v > p.version {
		p.lines, p.version = lines, v
	}
}

// draft is what is to be stored.
type draft struct {
	lines   []string
	version int
}

// draft returns a copy. The caller has the lock.
func (p *Paper) draft() *draft {
	return &draft{append([]string(nil), p.lines...), p.version}
}

// place finds where a line goes. The caller has the lock.
func (p *Paper) place(l string) (int, bool) {
	for i, old := range p.lines {
		if old == l {
			return i, true
		}
	}
	return len(p.lines), len(p.lines) < 100
}

// Append takes over what the store has accepted, if nothing newer is there.
func (p *Paper) Append(l string) error {
	p.mu.Lock()
	at, ok := p.place(l)
	if !ok {
		p.mu.Unlock()
		return nil
	}
	d := p.draft()
	d.lines = append(d.lines[:at], l)
	if p.store != nil {
		p.mu.Unlock()
		var err error
		if d.version, err = p.store.swap(d.lines, d.version); err != nil {
			return err
		}
		p.mu.Lock()
	}
	if p.store == nil || d.version > p.version {
		p.lines, p.version = d.lines, d.version
	}
	p.mu.Unlock()
	return nil
}

// Overwrite takes it over in any case.
func (p *Paper) Overwrite(l string) error {
	p.mu.Lock()
	lines := append(append([]string(nil), p.lines...), l)
	v := p.version
	p.mu.Unlock()
	v, err := p.store.swap(lines, v)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.lines, p.version = lines, v // want `lost-update: p\.lines was read at line \d+`
	p.mu.Unlock()
	return nil
}

// AppendMostly compares only sometimes, and the lock is released either way.
func (p *Paper) AppendMostly(l string, force bool) error {
	p.mu.Lock()
	at, ok := p.place(l)
	if !ok {
		p.mu.Unlock()
		return nil
	}
	d := p.draft()
	d.lines = append(d.lines[:at], l)
	p.mu.Unlock()
	var err error
	if d.version, err = p.store.swap(d.lines, d.version); err != nil {
		return err
	}
	p.mu.Lock()
	if force || d.version > p.version {
		p.lines, p.version = d.lines, d.version // want `check-then-act: p\.lines was checked at line \d+`
	}
	p.mu.Unlock()
	return nil
}
