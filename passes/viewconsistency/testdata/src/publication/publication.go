// Package publication has atomic variables of which one tells that another is there.
package publication

import (
	"sync"
	"sync/atomic"
)

type menu struct{ soups int }

// A Shop is opened in the wrong order.
type Shop struct {
	open atomic.Bool
	menu atomic.Pointer[menu]
	day  atomic.Uint32
	sold atomic.Uint32
	low  atomic.Int64
	high atomic.Int64
}

func (s *Shop) Open(m *menu) {
	s.open.Store(true)
	s.menu.Store(m)
}

// Order may find no menu yet.
func (s *Shop) Order() int {
	if !s.open.Load() {
		return 0
	}
	return s.menu.Load().soups // want `split-read: s\.open at line 28 and s\.menu here are read apart, in separate atomic operations, but written together by \(\*Shop\)\.Open`
}

// OrderIfThere expects that the menu may not be there.
func (s *Shop) OrderIfThere() int {
	if !s.open.Load() {
		return 0
	}
	if m := s.menu.Load(); m != nil {
		return m.soups
	}
	return 0
}

// Closed asks for the other answer: who sees it closed needs no menu of this day.
func (s *Shop) Closed() *menu {
	if s.open.Load() {
		return nil
	}
	return s.menu.Load()
}

// Turn begins a day, and then resets what belongs to it.
func (s *Shop) Turn() {
	s.day.Add(1)
	s.reset()
}

func (s *Shop) reset() { s.sold.Store(8) }

func (s *Shop) Sell(n uint32) { s.count(n) }

func (s *Shop) count(n uint32) { s.sold.Add(n) }

// Look may see the old day with the sales of the new one.
func (s *Shop) Look(day, n uint32) bool {
	if s.day.Load() == day && n >= s.sold.Load() { // want `split-read: s\.day at line \d+ and s\.sold here are read apart, in separate atomic operations, but written together by \(\*Shop\)\.Turn`
		return false
	}
	return true
}

// Begin sets the lower bound, which tells of both, first.
func (s *Shop) Begin(t int64) bool {
	if !s.low.CompareAndSwap(-1, t) {
		return false
	}
	s.high.CompareAndSwap(-1, t)
	return true
}

// Height relies on the upper one.
func (s *Shop) Height() int64 {
	if s.low.Load() == -1 {
		return 0
	}
	return s.high.Load() - 10 // want `split-read: s\.low at line \d+ and s\.high here are read apart, in separate atomic operations, but written together by \(\*Shop\)\.Begin`
}

// A Stall is opened in the right order.
type Stall struct {
	open  atomic.Bool
	menu  atomic.Pointer[menu]
	seq   atomic.Uint32
	value atomic.Uint32
	asked atomic.Uint32
	bytes atomic.Uint32
}

func (s *Stall) Open(m *menu) {
	s.menu.Store(m)
	s.open.Store(true)
}

func (s *Stall) Order() int {
	if !s.open.Load() {
		return 0
	}
	return s.menu.Load().soups
}

// Set counts before and afterwards: an odd number says that it is not done.
func (s *Stall) Set(n uint32) {
	s.seq.Add(1)
	s.value.Store(n)
	s.seq.Add(1)
}

func (s *Stall) Value() (uint32, bool) {
	if s.seq.Load()%2 == 1 {
		return 0, false
	}
	return s.value.Load(), true
}

// Statistics.
func (s *Stall) Ask(n uint32) {
	s.asked.Add(1)
	s.bytes.Add(n)
}

func (s *Stall) Mean() uint32 {
	if s.asked.Load() == 0 {
		return 0
	}
	return s.bytes.Load()
}

// A Cart is closed while others use what it has.
type Cart struct {
	shut atomic.Bool
	menu atomic.Pointer[menu]
}

func (c *Cart) Shut() {
	c.shut.Store(true)
	c.menu.Store(nil)
}

func (c *Cart) Fill(m *menu) {
	c.menu.Store(m)
	c.shut.Store(false)
}

// Order may find that the menu is gone.
func (c *Cart) Order() int {
	if c.shut.Load() {
		return 0
	}
	return c.menu.Load().soups // want `split-read: c\.shut at line \d+ and c\.menu here are read apart, in separate atomic operations, but written together by \(\*Cart\)\.Shut`
}

// Two settings that are only set together by chance.
type Options struct{ loud, fast atomic.Bool }

func (o *Options) Defaults()      { o.loud.Store(true); o.fast.Store(true) }
func (o *Options) SetLoud(b bool) { o.loud.Store(b) }
func (o *Options) SetFast(b bool) { o.fast.Store(b) }
func (o *Options) Quiet()         { o.loud.Store(false) }

func (o *Options) Both(f func(bool)) {
	if o.loud.Load() {
		f(o.fast.Load())
	}
}

// A Till is changed under a lock that its readers do without.
type Till struct {
	mu          sync.Mutex
	cash, cards atomic.Int64
}

func (t *Till) Change(cash, cards int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cash.Store(cash)
	t.cards.Store(cards)
}

// Sum computes with both.
func (t *Till) Sum() int64 {
	cash := t.cash.Load()
	return cash + t.cards.Load() // want `split-read: t\.cash at line \d+ and t\.cards here are read apart`
}

// A Kiosk fails in one place, in the right order, and calls that in two.
type Kiosk struct {
	failed atomic.Bool
	why    atomic.Pointer[menu]
}

func (k *Kiosk) fail(m *menu) {
	k.why.Store(m)
	k.failed.Store(true)
}

func (k *Kiosk) Serve(try func() *menu) {
	for range 3 {
		if m := try(); m != nil {
			k.fail(m)
		}
		k.fail(new(menu))
		k.fail(new(menu))
	}
}

func (k *Kiosk) Why() int {
	if !k.failed.Load() {
		return 0
	}
	return k.why.Load().soups
}

// Copies are of each field for itself.
func (s *Shop) CopyFrom(o *Shop) {
	s.low.Store(o.low.Load())
	s.sold.Store(o.sold.Load())
}

type word struct{ seen atomic.Int64 }

// Words are counted: a word that has been put in and not been counted yet has the count that it had before. That is right.
type Words struct{ all sync.Map }

func (w *Words) Count(text string) int64 {
	v, _ := w.all.LoadOrStore(text, new(word))
	return v.(*word).seen.Add(1)
}

func (w *Words) Seen(text string) int64 {
	v, ok := w.all.Load(text)
	if !ok {
		return 0
	}
	return v.(*word).seen.Load()
}
