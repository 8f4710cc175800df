// Package skew has functions that exclude each other by looking at what the other one writes.
package skew

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errBusy = errors.New("busy")

// A Keeper keeps backups and a compaction apart.
type Keeper struct {
	backing atomic.Bool

	mu         sync.Mutex
	compacting bool
}

func (k *Keeper) rewriting() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.compacting
}

func (k *Keeper) Backup(copy func()) error {
	if k.rewriting() {
		return errBusy
	}
	k.backing.Store(true) // want `check-then-act: k.compacting was checked at line 27, but k.mu was released when rewriting returned and another goroutine may change it before this write of k.backing \(Keeper.compacting is also written by \(\*Keeper\).Compact`
	defer k.backing.Store(false)
	copy()
	return nil
}

func (k *Keeper) Compact(rewrite func()) error {
	k.mu.Lock()
	if k.backing.Load() {
		k.mu.Unlock()
		return errBusy
	}
	k.compacting = true
	k.mu.Unlock()
	rewrite()
	k.mu.Lock()
	k.compacting = false
	k.mu.Unlock()
	return nil
}

// A Guard looks for the other one in the section in which it says that it is there itself.
type Guard struct {
	mu              sync.Mutex
	reading, ending bool
}

func (g *Guard) Read(do func()) error {
	g.mu.Lock()
	if g.ending {
		g.mu.Unlock()
		return errBusy
	}
	g.reading = true
	g.mu.Unlock()
	do()
	g.mu.Lock()
	g.reading = false
	g.mu.Unlock()
	return nil
}

func (g *Guard) End(do func()) error {
	g.mu.Lock()
	if g.reading {
		g.mu.Unlock()
		return errBusy
	}
	g.ending = true
	g.mu.Unlock()
	do()
	return nil
}

// A Pump is on while the tap is open: what Open writes does not keep Start from what it does.
type Pump struct {
	mu         sync.Mutex
	open, full bool
}

func (p *Pump) isFull() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.full
}

func (p *Pump) Open() {
	if p.isFull() {
		return
	}
	p.mu.Lock()
	p.open = true
	p.mu.Unlock()
}

func (p *Pump) Fill() {
	p.mu.Lock()
	if p.open {
		p.full = true
	}
	p.mu.Unlock()
}

func (p *Pump) Drain() {
	p.mu.Lock()
	p.full = false
	p.mu.Unlock()
}

// A track carries the trains of one direction.
type track struct {
	mu     sync.Mutex
	trains map[string]bool
}

func (t *track) empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.trains) == 0
}

func (t *track) add(train string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trains == nil {
		t.trains = make(map[string]bool)
	}
	t.trains[train] = true
}

func (t *track) first() (train string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for train = range t.trains {
		break
	}
	return train
}

// A Section has one rail for both directions.
type Section struct{ up, down track }

func enter(train string, with, against *track) bool {
	if !against.empty() {
		return false
	}
	with.add(train) // want `check-then-act: against.trains was checked at line 153, but against.mu was released when empty returned and another goroutine may change it before this call of add, which writes it \(two calls of the exported \(\*Section\).EnterUp may do this at once\)`
	return true
}

func (s *Section) EnterUp(train string) bool   { return enter(train, &s.up, &s.down) }
func (s *Section) EnterDown(train string) bool { return enter(train, &s.down, &s.up) }

// pass moves a train on: that there is one on the first rail is not less so for one more on the second.
func pass(from, to *track) {
	if !from.empty() {
		to.add(from.first())
	}
}

func (s *Section) Turn() { pass(&s.up, &s.down) }
func (s *Section) Back() { pass(&s.down, &s.up) }

// A Directory has names that are either of users or of groups.
type Directory struct{ users, groups sync.Map }

func (d *Directory) AddUser(name string, u any) bool {
	if _, taken := d.groups.Load(name); taken {
		return false
	}
	_, dup := d.users.LoadOrStore(name, u) // want `check-then-act: d.groups\[name\] was checked at line \d+, but the atomic operations are separate and another goroutine may change it before this write of d.users\[name\]`
	return !dup
}

func (d *Directory) AddGroup(name string, g any) bool {
	if _, taken := d.users.Load(name); taken {
		return false
	}
	_, dup := d.groups.LoadOrStore(name, g) // want `check-then-act: d.users\[name\] was checked at line \d+`
	return !dup
}
