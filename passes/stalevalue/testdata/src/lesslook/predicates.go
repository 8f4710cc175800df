package lesslook

import "sync"

// A Link is asked for its state by predicates, which compare it where it is guarded.
type Link struct {
	mu     sync.Mutex
	state  LinkState
	closed int
}

type LinkState int

const (
	Idle LinkState = iota
	Busy
	Broken
	Closed
)

func (l *Link) isIdle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == Idle
}

// isUsable asks by another predicate.
func (l *Link) isUsable() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.isClosedLocked()
}

func (l *Link) isClosedLocked() bool { return l.state == Closed }

func (l *Link) Use() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isClosedLocked() {
		l.state = Busy
	}
}

func (l *Link) Free() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == Busy {
		l.state = Idle
	}
}

// close only asks whether it has been done, by a predicate.
func (l *Link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosedLocked() {
		return
	}
	l.state = Closed
	l.closed++
}

// Reap closes a link that may be busy by now.
func (l *Link) Reap() {
	if l.isIdle() {
		l.close() // want `check-then-act: l.state was checked at line`
	}
}

// ReapEarly is the same with the branch inverted.
func (l *Link) ReapEarly() {
	if !l.isIdle() {
		return
	}
	l.close() // want `check-then-act: l.state was checked at line`
}

func (l *Link) closeIfIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == Idle {
		l.state = Closed
		l.closed++
	}
}

// ReapAsked asks for the same again.
func (l *Link) ReapAsked() {
	if l.isIdle() {
		l.closeIfIdle()
	}
}

// Shut goes by a state that nothing takes back: closed.
func (l *Link) Shut() {
	if !l.isUsable() {
		l.mu.Lock()
		l.closed = 0
		l.mu.Unlock()
	}
}

// A Pool closes the links that it has found idle, one by one.
type Pool struct {
	mu    sync.Mutex
	slots map[string]*Slot
	freed int
}

type Slot struct{ state LinkState }

func (p *Pool) Add(k string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slots == nil {
		p.slots = make(map[string]*Slot)
	}
	p.slots[k] = new(Slot)
}

func (p *Pool) Take(k string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.slots[k]; s != nil && s.state == Idle {
		s.state = Busy
	}
}

func (p *Pool) Give(k string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.slots[k]; s != nil && s.state == Busy {
		s.state = Idle
	}
}

// Sweep collects keys; free only asks whether the slot is closed.
func (p *Pool) Sweep() {
	p.mu.Lock()
	var idle []string
	for k, s := range p.slots {
		if s.state == Idle {
			idle = append(idle, k)
		}
	}
	p.mu.Unlock()
	for _, k := range idle {
		p.free(k) // want `check-then-act: p.slots\[.*\].state was checked at line`
	}
}

func (p *Pool) free(k string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.slots[k]
	if !ok || s.state == Closed {
		return
	}
	s.state = Closed
	p.freed++
}

// SweepSlots collects the slots themselves.
func (p *Pool) SweepSlots() {
	p.mu.Lock()
	var idle []*Slot
	for _, s := range p.slots {
		if s.state == Idle {
			idle = append(idle, s)
		}
	}
	p.mu.Unlock()
	for _, s := range idle {
		p.mu.Lock()
		s.state = Closed // want `check-then-act: p.slots\[.*\].state was checked at line`
		p.mu.Unlock()
	}
}

// SweepAgain looks again.
func (p *Pool) SweepAgain() {
	p.mu.Lock()
	var idle []*Slot
	for _, s := range p.slots {
		if s.state == Idle {
			idle = append(idle, s)
		}
	}
	p.mu.Unlock()
	for _, s := range idle {
		p.mu.Lock()
		if s.state == Idle {
			s.state = Closed
		}
		p.mu.Unlock()
	}
}

// SweepAll closes all slots, whatever their state: it is only counted.
func (p *Pool) SweepAll() {
	p.mu.Lock()
	var all []*Slot
	busy := 0
	for _, s := range p.slots {
		all = append(all, s)
		if s.state == Busy {
			busy++
		}
	}
	p.freed -= busy
	p.mu.Unlock()
	for _, s := range all {
		p.mu.Lock()
		s.state = Closed
		p.mu.Unlock()
	}
}

// Reap takes the slots out before it closes them.
func (p *Pool) Reap() {
	p.mu.Lock()
	var idle []*Slot
	for k, s := range p.slots {
		if s.state == Idle {
			delete(p.slots, k)
			idle = append(idle, s)
		}
	}
	p.mu.Unlock()
	for _, s := range idle {
		p.mu.Lock()
		s.state = Closed
		p.mu.Unlock()
	}
}

// idle collects in a callee.
func (p *Pool) idle() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for k, s := range p.slots {
		if s.state == Idle {
			out = append(out, k)
		}
	}
	return out
}

func (p *Pool) SweepIdle() {
	for _, k := range p.idle() {
		p.free(k) // want `check-then-act: p.slots\[.*\].state was checked at line`
	}
}

// SweepIdleAgain looks again.
func (p *Pool) SweepIdleAgain() {
	for _, k := range p.idle() {
		p.freeIdle(k)
	}
}

func (p *Pool) freeIdle(k string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.slots[k]; s != nil && s.state == Idle {
		s.state = Closed
		p.freed++
	}
}

// takeIdle takes them out.
func (p *Pool) takeIdle() []*Slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*Slot
	for k, s := range p.slots {
		if s.state == Idle {
			delete(p.slots, k)
			out = append(out, s)
		}
	}
	return out
}

func (p *Pool) ReapIdle() {
	for _, s := range p.takeIdle() {
		p.mu.Lock()
		s.state = Closed
		p.mu.Unlock()
	}
}

// names collects whatever the state.
func (p *Pool) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for k := range p.slots {
		out = append(out, k)
	}
	return out
}

func (p *Pool) FreeAll() {
	for _, k := range p.names() {
		p.free(k)
	}
}

// A Table has states of which one may be moved to another key.
type Table struct {
	mu     sync.Mutex
	states map[string]LinkState
	data   map[string][]byte
}

func (t *Table) state(k string) LinkState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.states[k]
}

func (t *Table) Close(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.states[k] = Closed
}

// Move looks at another element than the one that it writes.
func (t *Table) Move(from, to string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.states[from] != Closed {
		t.states[to] = Busy
		t.data[to] = make([]byte, 8)
	}
}

func (t *Table) Forget(k string) {
	if t.state(k) == Closed {
		t.mu.Lock()
		t.data[k] = nil // want `check-then-act: t.states\[k\] was checked at line`
		t.mu.Unlock()
	}
}

// Doors are closed for good, and another one may be put in the place of one that is.
type Doors struct {
	mu  sync.Mutex
	all map[string]*Door
}

type Door struct{ state LinkState }

func (d *Doors) isClosed(k string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.all[k]
	return one != nil && one.state == Closed
}

func (d *Doors) isThere(k string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.all[k]
	return ok
}

func (d *Doors) Close(k string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one := d.all[k]; one != nil {
		one.state = Closed
	}
}

func (d *Doors) Open(k string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if one := d.all[k]; one == nil || one.state == Closed {
		d.all[k] = new(Door)
	}
}

// Sweep may remove a new one.
func (d *Doors) Sweep(k string) {
	if d.isClosed(k) {
		d.mu.Lock()
		delete(d.all, k) // want `check-then-act: d.all\[k\] was checked at line`
		d.mu.Unlock()
	}
}

// Remove removes what is there.
func (d *Doors) Remove(k string) {
	if d.isThere(k) {
		d.mu.Lock()
		delete(d.all, k)
		d.mu.Unlock()
	}
}
