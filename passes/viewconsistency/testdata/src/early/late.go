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
