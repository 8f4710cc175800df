// Package stale writes one variable with what was read of another, which the
// same lock guards, in an earlier critical section.
package stale

import (
	"sync"
	"sync/atomic"
)

// A Series keeps its last sample beside the sum of all. They change together.
type Series struct {
	mu   sync.Mutex
	last int
	sum  int
	prev int
	note string
}

func (s *Series) Add(n int) {
	s.mu.Lock()
	s.prev = s.last
	s.last = n
	s.sum += n
	s.mu.Unlock()
}

// Shift sets prev to what was the last sample a moment ago.
func (s *Series) Shift() {
	s.mu.Lock()
	n := s.last
	s.mu.Unlock()
	s.mu.Lock()
	s.prev = n // want `stale-use: s\.last was read at line \d+, but s\.mu was released at line \d+ and another goroutine may change it before this write of s\.prev`
	s.mu.Unlock()
}

func (s *Series) ShiftAtOnce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prev = s.last
}

// Unrelated: no critical section has anything to do with both.
func (s *Series) Annotate(text func(int) string) {
	s.mu.Lock()
	n := s.last
	s.mu.Unlock()
	t := text(n)
	s.mu.Lock()
	s.note = t
	s.mu.Unlock()
}

// Through accessors.
func (s *Series) Last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *Series) setPrev(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prev = n
}

func (s *Series) ShiftCalls() {
	s.setPrev(s.Last()) // want `stale-use: s\.last was read at line \d+, but s\.mu was released when Last returned and another goroutine may change it before this call of setPrev, which writes .*prev`
}

// Decides about the one, writes the other.
func (s *Series) Restart() {
	s.mu.Lock()
	low := s.last < 0
	s.mu.Unlock()
	if low {
		s.mu.Lock()
		s.sum = 0 // want `check-then-act: s\.last was checked at line \d+, but s\.mu was released at line \d+ and another goroutine may change it before this write of s\.sum`
		s.mu.Unlock()
	}
}

func (s *Series) RestartAtOnce() {
	s.mu.Lock()
	if s.last < 0 {
		s.sum = 0
	}
	s.mu.Unlock()
}

// An Index has a map and an order that have to agree.
type Index struct {
	mu    sync.RWMutex
	byID  map[int]*entry
	order []int
	next  int
}

type entry struct{ id, pos int }

func NewIndex() *Index { return &Index{byID: make(map[int]*entry)} }

func (x *Index) Insert(id int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byID[id] = &entry{id, len(x.order)}
	x.order = append(x.order, id)
}

// Reinsert takes the position from an order that may have grown.
func (x *Index) Reinsert(id int) {
	x.mu.RLock()
	pos := len(x.order)
	x.mu.RUnlock()
	e := &entry{id, pos}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byID[id] = e // want `stale-use: x\.order was read at line \d+`
}

// Delete decides by the map and changes the order.
func (x *Index) Delete(id int) {
	x.mu.RLock()
	_, ok := x.byID[id]
	x.mu.RUnlock()
	if !ok {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.order = append(x.order[:0:0], id)
	delete(x.byID, id) // want `check-then-act: x\.byID\[id\] was checked at line \d+, but x\.mu was released at line \d+ and another goroutine may change it before this write`
}

// A Link has a lock for each direction, and a Close that handles both.
type Link struct {
	in, out sync.Mutex
	peer    *entry
	queue   []int
}

func (l *Link) Close() {
	l.in.Lock()
	l.peer = nil
	l.in.Unlock()
	l.out.Lock()
	l.queue = nil
	l.out.Unlock()
}

func (l *Link) Open(e *entry) {
	l.in.Lock()
	l.peer = e
	l.in.Unlock()
}

// Atomics beside a lock.
type Pair struct {
	mu  sync.Mutex
	rev atomic.Int64
	val int
}

func (p *Pair) Set(v int) {
	p.mu.Lock()
	p.rev.Add(1)
	p.val = v
	p.mu.Unlock()
}

func (p *Pair) Value() (int, int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.val, p.rev.Load()
}

// Found, and looked up again without asking.
type Book struct {
	mu    sync.Mutex
	pages map[string]*entry
	total int
}

func (b *Book) Has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.pages[name]
	return ok
}

func (b *Book) Page(name string) *entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pages[name]
}

func (b *Book) Put(name string, e *entry) {
	b.mu.Lock()
	b.pages[name] = e
	b.mu.Unlock()
}

func (b *Book) Tear(name string) {
	b.mu.Lock()
	delete(b.pages, name)
	b.mu.Unlock()
}

func (b *Book) Position(name string) int {
	if !b.Has(name) {
		return -1
	}
	return b.Page(name).pos // want `check-then-act: b\.pages\[name\] was checked at line \d+, but b\.mu was released when Has returned and another goroutine may remove it before it is used here unchecked`
}

func (b *Book) PositionAtOnce(name string) int {
	e := b.Page(name)
	if e == nil {
		return -1
	}
	return e.pos
}

func (b *Book) PositionChecked(name string) int {
	if !b.Has(name) {
		return -1
	}
	if e := b.Page(name); e != nil {
		return e.pos
	}
	return -1
}

// Two maps that go together.
type Shares struct {
	mu      sync.RWMutex
	configs map[string]string
	filters map[string]*entry
}

func (e *entry) position() int { return e.pos }

func (s *Shares) Add(id, config string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.configs[id] = config
	s.filters[id] = &entry{}
}

func (s *Shares) Remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.configs, id)
	delete(s.filters, id)
}

func (s *Shares) Filter(id string) int {
	s.mu.RLock()
	_, ok := s.configs[id]
	s.mu.RUnlock()
	if !ok {
		return -1
	}
	s.mu.RLock()
	f := s.filters[id] // want `s\.configs\[id\] was checked at line \d+, .* may remove it together with s\.filters\[id\] before that is used here unchecked .*written by \(\*Shares\)\.Remove`
	s.mu.RUnlock()
	return f.position()
}

func (s *Shares) FilterIfThere(id string) int {
	s.mu.RLock()
	_, ok := s.configs[id]
	s.mu.RUnlock()
	if !ok {
		return -1
	}
	s.mu.RLock()
	f, ok := s.filters[id]
	s.mu.RUnlock()
	if !ok {
		return -1
	}
	return f.position()
}
