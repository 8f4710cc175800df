// Package counted has objects in tables that are removed when nobody uses them.
package counted

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errNoName = errors.New("no name")

type Font struct {
	name   string
	users  atomic.Int32
	seen   atomic.Int64
	mu     sync.Mutex
	locked int
	glyphs []byte
}

func (f *Font) retain() { f.users.Add(1) }

type Cabinet struct {
	mu    sync.Mutex
	fonts map[string]*Font
}

func (c *Cabinet) find(name string) *Font {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fonts[name]
}

func (c *Cabinet) Add(name string, glyphs []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fonts[name] = &Font{name: name, glyphs: glyphs}
}

// Borrow counts when the table is open to others again.
func (c *Cabinet) Borrow(name string) *Font {
	c.mu.Lock()
	f := c.fonts[name]
	c.mu.Unlock()
	if f != nil {
		f.users.Add(1) // want `check-then-act: c.fonts\[name\] was checked at line \d+, but c.mu was released at line \d+ and another goroutine may remove it, as it counts no users, before this write of`
	}
	return f
}

// Use does the same by helpers.
func (c *Cabinet) Use(name string) *Font {
	f := c.find(name)
	if f == nil {
		return nil
	}
	f.retain() // want `check-then-act: c.fonts\[name\] was checked`
	return f
}

// BorrowLocked counts in the section of the look-up. What it has seen is a statistic.
func (c *Cabinet) BorrowLocked(name string) *Font {
	c.mu.Lock()
	f := c.fonts[name]
	if f != nil {
		f.users.Add(1)
	}
	c.mu.Unlock()
	if f != nil {
		f.seen.Add(1)
	}
	return f
}

// TryBorrow refuses a font that nobody uses.
func (c *Cabinet) TryBorrow(name string) *Font {
	f := c.find(name)
	for f != nil {
		n := f.users.Load()
		if n == 0 {
			return nil
		}
		if f.users.CompareAndSwap(n, n+1) {
			return f
		}
	}
	return nil
}

// BorrowFirst takes the font back if it was the first user.
func (c *Cabinet) BorrowFirst(name string) *Font {
	f := c.find(name)
	if f != nil && f.users.Add(1) == 1 {
		f.users.Add(-1)
		return nil
	}
	return f
}

func (c *Cabinet) Return(f *Font) {
	if f.users.Add(-1) > 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fonts[f.name] == f && f.users.Load() == 0 {
		delete(c.fonts, f.name)
	}
}

// A Shop makes the fonts that it does not find.
type Shop struct {
	mu    sync.Mutex
	fonts map[string]*Font
}

func (s *Shop) fontLocked(name string) (*Font, error) {
	if f, ok := s.fonts[name]; ok {
		return f, nil
	}
	if name == "" {
		return nil, errNoName
	}
	f := &Font{name: name}
	s.fonts[name] = f
	return f, nil
}

// Rent counts after the section, also where the font was there: that one may be given back.
func (s *Shop) Rent(name string) (*Font, error) {
	s.mu.Lock()
	f, err := s.fontLocked(name)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	f.users.Add(1) // want `check-then-act: s.fonts\[name\] was checked`
	return f, nil
}

// RentLocked counts in the section.
func (s *Shop) RentLocked(name string) (*Font, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.fontLocked(name)
	if err != nil {
		return nil, err
	}
	f.users.Add(1)
	return f, nil
}

// GiveBack drops a font that nobody has.
func (s *Shop) GiveBack(f *Font) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.users.Add(-1) == 0 {
		delete(s.fonts, f.name)
	}
}

// A Vault has tools with a count of users, of which it is one until it gives a tool up. Take counts too late.
type Vault struct {
	mu    sync.Mutex
	tools map[string]*tool
}

type tool struct {
	users atomic.Int32
	gone  chan struct{}
}

func (t *tool) release() {
	if t.users.Add(-1) == 0 {
		close(t.gone)
	}
}

// find returns the tool that is there, or one that it puts there.
func (v *Vault) find(name string) *tool {
	v.mu.Lock()
	defer v.mu.Unlock()
	t, ok := v.tools[name]
	if ok {
		return t
	}
	t = &tool{gone: make(chan struct{})}
	t.users.Store(1)
	v.tools[name] = t
	return t
}

func (v *Vault) Take(name string) *tool {
	t := v.find(name)
	t.users.Add(1) // want `check-then-act: v\.tools\[name\] was checked at line \d+, but v\.mu was released when find returned and another goroutine may remove it, as it counts no users`
	return t
}

// TakeLocked counts in the section of the look-up.
func (v *Vault) TakeLocked(name string) *tool {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := v.tools[name]
	if t != nil {
		t.users.Add(1)
	}
	return t
}

func (v *Vault) GiveUp(name string) {
	v.mu.Lock()
	t, ok := v.tools[name]
	delete(v.tools, name)
	v.mu.Unlock()
	if ok {
		t.release()
	}
}

// A Blob is found in a sync.Map.
type Blob struct {
	id    string
	store *Blobs
	refs  atomic.Int32
	bytes []byte
}

type Blobs struct{ m sync.Map }

func (s *Blobs) Put(id string) {
	b := &Blob{id: id, store: s}
	b.refs.Store(1)
	s.m.LoadOrStore(id, b)
}

// Acquire counts a user of what may have none any more.
func (s *Blobs) Acquire(id string) *Blob {
	v, ok := s.m.Load(id)
	if !ok {
		return nil
	}
	b := v.(*Blob)
	b.refs.Add(1) // want `check-then-act: s.m\[id\] was checked`
	return b
}

func (b *Blob) Release() {
	if b.refs.Add(-1) > 0 {
		return
	}
	b.store.m.CompareAndDelete(b.id, b) // want `check-then-act: b.refs was checked at line \d+, but the atomic operations are separate and another goroutine may change it before this write of b\.store\.m`
	b.bytes = nil
}

// A Frame holds a page, and is used for another one when nobody has it pinned.
type Frame struct {
	page int
	used bool
	pins int
}

// Frames are protected by one lock, their pins too.
type Frames struct {
	mu     sync.Mutex
	byPage map[int]*Frame
	all    []*Frame
}

// Pin counts in a later section of the same lock.
func (s *Frames) Pin(page int) *Frame {
	s.mu.Lock()
	f, ok := s.byPage[page]
	s.mu.Unlock()
	if !ok {
		return s.load(page)
	}
	s.mu.Lock()
	f.pins++ // want `check-then-act: s.byPage\[page\] was checked at line \d+, but s.mu was released at line \d+ and another goroutine may remove it, as it counts no users, before this write of`
	s.mu.Unlock()
	return f
}

// PinAtOnce counts where it has found the frame.
func (s *Frames) PinAtOnce(page int) *Frame {
	s.mu.Lock()
	f, ok := s.byPage[page]
	if ok {
		f.pins++
	}
	s.mu.Unlock()
	if !ok {
		return s.load(page)
	}
	return f
}

// PinAgain looks the frame up again.
func (s *Frames) PinAgain(page int) *Frame {
	s.mu.Lock()
	_, ok := s.byPage[page]
	s.mu.Unlock()
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.byPage[page]
	if ok {
		f.pins++
	}
	return f
}

func (s *Frames) Unpin(f *Frame) {
	s.mu.Lock()
	f.pins--
	s.mu.Unlock()
}

// load takes the frame of another page: that nobody has pinned it decides which one.
func (s *Frames) load(page int) *Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.byPage[page]; ok {
		f.pins++
		return f
	}
	f := s.victim()
	if f == nil {
		return nil
	}
	if f.used {
		delete(s.byPage, f.page)
	}
	f.page, f.used = page, true
	s.byPage[page] = f
	f.pins++
	return f
}

func (s *Frames) victim() *Frame {
	for _, f := range s.all {
		if f.pins == 0 {
			return f
		}
	}
	return nil
}
