package early

import (
	"errors"
	"sync"
)

// A Harbour has bays, which are found by their name.
type Harbour struct {
	mu   sync.RWMutex
	bays map[string]*quay
}

type quay struct {
	mu    sync.Mutex
	crane lifter
	used  int
}

type lifter interface{ lift(string) error }

var errQuay = errors.New("no such bay")

func (d *Harbour) reserve(name string, b *quay) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.bays[name]; ok {
		return errQuay
	}
	d.bays[name] = b
	return nil
}

// Equip gives a new bay its crane when others may have found it. The function that has made an object also writes to it when
// that is shared.
func (d *Harbour) Equip(name string, c lifter) error {
	b := new(quay)
	if c == nil {
		return errQuay
	}
	if err := d.reserve(name, b); err != nil {
		return err
	}
	b.mu.Lock()
	b.crane = c // want `early-signal: quay.crane is written here, after d.bays\[name\] is filled at line \d+`
	b.mu.Unlock()
	return nil
}

func (d *Harbour) Lift(name, what string) error {
	d.mu.RLock()
	b, ok := d.bays[name]
	d.mu.RUnlock()
	if !ok {
		return errQuay
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used++
	return b.crane.lift(what)
}

// A Wharf gives a new bay its crane before others find it.
type Wharf struct {
	mu   sync.RWMutex
	bays map[string]*berth
}

type berth struct {
	mu    sync.Mutex
	crane lifter
	used  int
}

func (d *Wharf) Equip(name string, c lifter) {
	b := new(berth)
	b.mu.Lock()
	b.crane = c
	b.mu.Unlock()
	d.mu.Lock()
	d.bays[name] = b
	d.mu.Unlock()
}

func (d *Wharf) Lift(name, what string) error {
	d.mu.RLock()
	b, ok := d.bays[name]
	d.mu.RUnlock()
	if !ok {
		return errQuay
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used++
	return b.crane.lift(what)
}

// A Pier has berths that tell whether they are complete.
type Pier struct {
	mu     sync.RWMutex
	berths map[string]*mooring
}

type mooring struct {
	mu    sync.Mutex
	crane lifter
	spare lifter
	open  bool
	used  int
}

type idle struct{}

func (idle) lift(string) error { return nil }

// Open gives a berth its crane, and says so, in one section; the spare one is another from the beginning.
func (p *Pier) Open(name string, c, spare lifter) {
	m := &mooring{spare: idle{}}
	p.mu.Lock()
	p.berths[name] = m
	p.mu.Unlock()
	m.mu.Lock()
	m.crane, m.open = c, true
	m.spare = spare
	m.mu.Unlock()
}

func (p *Pier) Lift(name, what string) error {
	p.mu.RLock()
	m := p.berths[name]
	p.mu.RUnlock()
	if m == nil {
		return errQuay
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.open {
		return errQuay
	}
	m.used++
	return m.crane.lift(what)
}

func (p *Pier) LiftSpare(name, what string) error {
	p.mu.RLock()
	m := p.berths[name]
	p.mu.RUnlock()
	if m == nil {
		return errQuay
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used++
	return m.spare.lift(what)
}
