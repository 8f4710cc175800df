package lifetimes

import (
	"sync"
	"sync/atomic"
)

// A Press collects lines in a page, and prints the page.
type Press struct {
	page  atomic.Pointer[page]
	print func([]string)
}

type page struct {
	mu    sync.Mutex
	lines []string
}

func (p *Press) Start() { p.page.Store(new(page)) }

// Add writes to a page that may have been printed.
func (p *Press) Add(line string) {
	pg := p.page.Load()
	pg.mu.Lock()
	pg.lines = append(pg.lines, line) // want `check-then-act: p.page was found at line \d+; \(\*Press\).Flush \(.*\) may take it out and read page.lines for the last time in between: what is written here is lost`
	pg.mu.Unlock()
}

// AddAgain writes again if the page was replaced meanwhile.
func (p *Press) AddAgain(line string) {
	for {
		pg := p.page.Load()
		pg.mu.Lock()
		pg.lines = append(pg.lines, line)
		pg.mu.Unlock()
		if p.page.Load() == pg {
			return
		}
	}
}

func (p *Press) Flush() {
	pg := p.page.Swap(new(page))
	pg.mu.Lock()
	lines := pg.lines
	pg.mu.Unlock()
	p.print(lines)
}

// A Proof is printed once, when it is closed.
type Proof struct {
	mu    sync.Mutex
	page  *page
	print func([]string)
}

func (p *Proof) Open() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.page = new(page)
}

func (p *Proof) Add(line string) {
	p.mu.Lock()
	pg := p.page
	p.mu.Unlock()
	pg.mu.Lock()
	pg.lines = append(pg.lines, line)
	pg.mu.Unlock()
}

func (p *Proof) Close() {
	p.mu.Lock()
	pg := p.page
	p.page = nil
	p.mu.Unlock()
	pg.mu.Lock()
	lines := pg.lines
	pg.mu.Unlock()
	p.print(lines)
}

// A Mill has a mark in its pages.
type Mill struct {
	page  atomic.Pointer[leaf]
	print func([]string)
}

type leaf struct {
	mu      sync.Mutex
	lines   []string
	drained bool
}

func (m *Mill) Start() { m.page.Store(new(leaf)) }

func (m *Mill) Add(line string) {
	for {
		l := m.page.Load()
		l.mu.Lock()
		if !l.drained {
			l.lines = append(l.lines, line)
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
	}
}

func (m *Mill) Flush() {
	l := m.page.Swap(new(leaf))
	l.mu.Lock()
	lines := l.lines
	l.drained = true
	l.mu.Unlock()
	m.print(lines)
}

// A Batcher has its batch under a lock.
type Batcher struct {
	mu  sync.Mutex
	cur *batch
	out func([]int)
}

type batch struct {
	mu    sync.Mutex
	items []int
}

func (b *batch) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, n)
}

func (b *batch) take() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	items := b.items
	b.items = nil
	return items
}

func (b *Batcher) current() *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cur
}

// Put adds to a batch that may be out already.
func (b *Batcher) Put(n int) {
	b.current().add(n) // want `check-then-act: b.cur was found`
}

func (b *batch) addAll(list []int) {
	for _, n := range list {
		b.add(n)
	}
}

// PutAll adds by a helper of a helper.
func (b *Batcher) PutAll(list []int) { b.current().addAll(list) }

// PutLocked adds while the batch is in.
func (b *Batcher) PutLocked(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cur.add(n)
}

func (b *Batcher) Rotate() {
	b.mu.Lock()
	old := b.cur
	b.cur = new(batch)
	b.mu.Unlock()
	b.out(old.take())
}

// A Tally waits for those who write.
type Tally struct {
	mu  sync.RWMutex
	cur *heap
	out func([]int)

	writers sync.WaitGroup
}

type heap struct {
	mu      sync.Mutex
	items   []int
	writers sync.WaitGroup
}

// PutCounted counts before it looks.
func (t *Tally) PutCounted(n int) {
	t.writers.Add(1)
	defer t.writers.Done()
	t.mu.RLock()
	h := t.cur
	t.mu.RUnlock()
	h.mu.Lock()
	h.items = append(h.items, n)
	h.mu.Unlock()
}

func (t *Tally) Put(n int) {
	t.mu.RLock()
	h := t.cur
	h.writers.Add(1)
	t.mu.RUnlock()
	h.mu.Lock()
	h.items = append(h.items, n)
	h.mu.Unlock()
	h.writers.Done()
}

func (t *Tally) Rotate() {
	t.mu.Lock()
	old := t.cur
	t.cur = new(heap)
	t.mu.Unlock()
	t.writers.Wait()
	old.writers.Wait()
	old.mu.Lock()
	items := old.items
	old.mu.Unlock()
	t.out(items)
}

// A Shop removes the accounts that have nothing on them.
type Shop struct {
	mu       sync.Mutex
	accounts map[string]*account
}

type account struct {
	mu    sync.Mutex
	items []string
}

func (s *Shop) account(name string) *account {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[name]
	if a == nil {
		a = new(account)
		s.accounts[name] = a
	}
	return a
}

// Buy writes to an account that may have been removed.
func (s *Shop) Buy(name, item string) {
	a := s.account(name)
	a.mu.Lock()
	a.items = append(a.items, item) // want `check-then-act: s.accounts\[name\] was found`
	a.mu.Unlock()
}

func (s *Shop) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, a := range s.accounts {
		a.mu.Lock()
		if len(a.items) == 0 {
			delete(s.accounts, name)
		}
		a.mu.Unlock()
	}
}

// A Bill has counters of a period, which are booked at its end.
type Bill struct {
	mu     sync.RWMutex
	period map[string]*units
}

type units struct{ n atomic.Int64 }

func (b *Bill) of(key string) *units {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.period[key]
}

// Count may count in a period that has been booked.
func (b *Bill) Count(key string, n int64) {
	if u := b.of(key); u != nil {
		u.n.Add(n) // want `check-then-act: b\.period\[key\] was found at line \d+; \(\*Bill\)\.Book \(.*\) may take it out and read units\.n for the last time in between: what is written here is lost`
	}
}

// CountLocked counts in the section of the look-up.
func (b *Bill) CountLocked(key string, n int64) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if u := b.period[key]; u != nil {
		u.n.Add(n)
	}
}

func (b *Bill) Book(book func(string, int64)) {
	b.mu.Lock()
	old := b.period
	b.period = make(map[string]*units)
	b.mu.Unlock()
	for key, u := range old {
		book(key, u.n.Load())
	}
}
