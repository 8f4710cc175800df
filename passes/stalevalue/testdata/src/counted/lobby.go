package counted

import (
	"errors"
	"sync"
)

var errNoTable = errors.New("no such table")

// A Lobby has tables that are closed when they are removed.
type Lobby struct {
	mu     sync.RWMutex
	tables map[int]*table
}

type table struct {
	mu     sync.Mutex
	closed bool
	seats  map[string]int
}

func newTable() *table { return &table{seats: make(map[string]int)} }

func (l *Lobby) Open(id int, names []string) {
	t := newTable()
	for i, name := range names {
		if t.taken() == 8 {
			return
		}
		t.seat(name, i)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tables[id] = t
}

func (t *table) taken() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.seats)
}

func (t *table) seat(name string, seat int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seats[name] = seat
}

func (l *Lobby) find(id int) (*table, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t, ok := l.tables[id]
	if !ok {
		return nil, errNoTable
	}
	return t, nil
}

// Enter finds the mark of a table that has been removed meanwhile.
func (l *Lobby) Enter(id int, name string, seat int) bool {
	t, err := l.find(id)
	if err != nil {
		return false
	}
	return t.enter(name, seat)
}

func (t *table) enter(name string, seat int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.seats[name] = seat
	return true
}

// Close marks the table as closed after it has removed it.
func (l *Lobby) Close(id int) int {
	l.mu.Lock()
	t := l.tables[id]
	delete(l.tables, id)
	l.mu.Unlock()
	if t == nil {
		return 0
	}
	return t.end()
}

func (t *table) end() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return len(t.seats)
}

type plate struct {
	eaters int
	dirty  bool
}

// A Kitchen washes plates that nobody eats from.
type Kitchen struct {
	mu     sync.Mutex
	plates map[string]*plate
}

func (k *Kitchen) Take(name string) *plate {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.plates[name]
	if p == nil {
		p = &plate{}
		k.plates[name] = p
	}
	p.eaters++
	return p
}

func (k *Kitchen) Leave(p *plate) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.eaters--
	p.dirty = true
}

// Clear is wrong: somebody may have taken the plate and left it again, and it is dirty. The count of those who eat from it is what
// it was.
func (k *Kitchen) Clear(name string, note func(bool)) {
	k.mu.Lock()
	p := k.plates[name]
	if p == nil || p.eaters > 0 {
		k.mu.Unlock()
		return
	}
	dirty := p.dirty
	k.mu.Unlock()
	note(dirty)
	k.mu.Lock()
	defer k.mu.Unlock()
	if p.eaters > 0 {
		return
	}
	delete(k.plates, name) // want `check-then-act: `
}
