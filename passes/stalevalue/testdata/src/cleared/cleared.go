// Package cleared has flags that say that there is something to do, and are cleared when it is done.
package cleared

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
)

func write(m map[string]int) error {
	if len(m) == 0 {
		return errors.New("nothing to write")
	}
	return nil
}

// An Index is saved when it has changed.
type Index struct {
	saving  sync.Mutex // one save at a time
	dirty   atomic.Bool
	mu      sync.Mutex
	entries map[string]int
	version int
}

func (x *Index) Put(k string, n int) {
	x.mu.Lock()
	x.entries[k] = n
	x.version++
	x.mu.Unlock()
	x.dirty.Store(true)
}

func (x *Index) snapshot() map[string]int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.entries)
}

func (x *Index) Save() error {
	x.saving.Lock()
	defer x.saving.Unlock()
	if !x.dirty.Load() {
		return nil
	}
	if err := write(x.snapshot()); err != nil {
		return err
	}
	x.dirty.Store(false) // want `lost-update: x.dirty, tested at line 44, is cleared here after x.entries was read at line 47: \(\*Index\).Put \(cleared.go:32\) may have set it again in between, for a change that nobody looks at then`
	return nil
}

// SaveFirst clears the flag before it reads, and sets it again if it fails.
func (x *Index) SaveFirst() error {
	x.saving.Lock()
	defer x.saving.Unlock()
	if !x.dirty.Load() {
		return nil
	}
	x.dirty.Store(false)
	if err := write(x.snapshot()); err != nil {
		x.dirty.Store(true)
		return err
	}
	return nil
}

// SaveSwap tests and clears in one step.
func (x *Index) SaveSwap() error {
	if !x.dirty.CompareAndSwap(true, false) {
		return nil
	}
	return write(x.snapshot())
}

// A Book has its flag under the lock of its pages.
type Book struct {
	mu      sync.Mutex
	pages   map[string]int
	version int
	dirty   bool
}

func (b *Book) Put(k string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages[k] = n
	b.version++
	b.dirty = true
}

func (b *Book) Save() error {
	b.mu.Lock()
	if !b.dirty {
		b.mu.Unlock()
		return nil
	}
	pages := maps.Clone(b.pages)
	b.mu.Unlock()
	if err := write(pages); err != nil {
		return err
	}
	b.mu.Lock()
	b.dirty = false // want `lost-update: b.dirty, tested at line \d+, is cleared here after b.pages was read at line \d+`
	b.mu.Unlock()
	return nil
}

// SaveInOne reads and clears in one section.
func (b *Book) SaveInOne() error {
	b.mu.Lock()
	if !b.dirty {
		b.mu.Unlock()
		return nil
	}
	pages := maps.Clone(b.pages)
	b.dirty = false
	b.mu.Unlock()
	return write(pages)
}

// SaveVersion only clears the flag if nothing was put meanwhile.
func (b *Book) SaveVersion() error {
	b.mu.Lock()
	if !b.dirty {
		b.mu.Unlock()
		return nil
	}
	pages, version := maps.Clone(b.pages), b.version
	b.mu.Unlock()
	if err := write(pages); err != nil {
		return err
	}
	b.mu.Lock()
	if b.version == version {
		b.dirty = false
	}
	b.mu.Unlock()
	return nil
}

// A Door is opened only if it is closed: that it is open is its state, and no order to do something.
type Door struct {
	mu   sync.Mutex
	open bool
}

func (d *Door) Open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.open {
		d.open = true
	}
}

func (d *Door) isOpen() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

func (d *Door) Close() error {
	if !d.isOpen() {
		return nil
	}
	if err := write(nil); err != nil {
		return err
	}
	d.mu.Lock()
	d.open = false
	d.mu.Unlock()
	return nil
}

// The flag of Alone is set and cleared by one goroutine.
type Alone struct {
	mu    sync.Mutex
	dirty bool
}

func NewAlone() *Alone {
	a := new(Alone)
	go a.loop()
	return a
}

func (a *Alone) loop() {
	for {
		a.note()
		if err := a.save(); err != nil {
			return
		}
	}
}

func (a *Alone) note() {
	a.mu.Lock()
	a.dirty = true
	a.mu.Unlock()
}

func (a *Alone) isDirty() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.dirty
}

func (a *Alone) save() error {
	if !a.isDirty() {
		return nil
	}
	if err := write(nil); err != nil {
		return err
	}
	a.mu.Lock()
	a.dirty = false
	a.mu.Unlock()
	return nil
}

// A Press has one order at a time. To print without the lock of the office may print twice.
type Press struct {
	mu    sync.Mutex
	order bool
}

func NewPress() *Press { return &Press{order: true} }

func (p *Press) hasOrder() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.order
}

func (p *Press) Print() error {
	if !p.hasOrder() {
		return nil
	}
	if err := write(nil); err != nil {
		return err
	}
	p.mu.Lock()
	p.order = false
	p.mu.Unlock()
	return nil
}

func (p *Press) Try() {
	p.mu.Lock()
	p.order = false
	p.mu.Unlock()
	if write(nil) != nil {
		p.mu.Lock()
		p.order = true
		p.mu.Unlock()
	}
}

// A Ledger is written while it is locked: nobody sets the flag then.
type Ledger struct {
	mu    sync.Mutex
	lines map[string]int
	dirty bool
}

func (l *Ledger) Put(k string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines[k] = n
	l.dirty = true
}

func (l *Ledger) isDirty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dirty
}

func (l *Ledger) Save() error {
	if !l.isDirty() {
		return nil
	}
	if err := write(nil); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := write(l.lines); err != nil {
		return err
	}
	l.dirty = false
	return nil
}

type press interface{ Print(map[string]int) error }

type lines struct {
	mu sync.Mutex
	m  map[string]int
}

func (l *lines) set(k string, n int) { l.mu.Lock(); defer l.mu.Unlock(); l.m[k] = n }

func (l *lines) all() map[string]int { l.mu.Lock(); defer l.mu.Unlock(); return maps.Clone(l.m) }

// A Gazette is printed by one goroutine.
type Gazette struct {
	out   press
	lines lines
	dirty atomic.Bool
	kick  chan struct{}
}

func NewGazette(out press, wait func() bool) *Gazette {
	g := &Gazette{out: out, lines: lines{m: make(map[string]int)}, kick: make(chan struct{}, 1)}
	go g.run(wait)
	return g
}

func (g *Gazette) Put(k string, n int) {
	g.lines.set(k, n)
	g.touch()
}

func (g *Gazette) touch() {
	g.dirty.Store(true)
	select {
	case g.kick <- struct{}{}:
	default:
	}
}

// run clears the flag before it reads the lines, in each turn. What comes before the clear is the work of the turn before.
func (g *Gazette) run(wait func() bool) {
	for range g.kick {
		for g.dirty.Load() {
			if !wait() {
				return
			}
			if err := g.print(); err != nil {
				if !wait() {
					return
				}
			}
		}
	}
}

func (g *Gazette) print() error {
	g.dirty.Store(false)
	if err := g.out.Print(g.lines.all()); err != nil {
		g.dirty.Store(true)
		return err
	}
	return nil
}
