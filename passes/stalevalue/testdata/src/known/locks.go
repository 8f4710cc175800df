// Package known holds what the analyzer gets wrong. MISSED marks a line that
// should be reported, FALSE one that should not, or not so. The test fails if
// that changes: then the case belongs in one of the other packages.
package known

import (
	"sync"
	"sync/atomic"
)

type item struct{ n int }

// An outer lock that not all writers hold makes the two passages one.

type Backup struct {
	job  sync.Mutex
	mu   sync.Mutex
	size int
}

func (b *Backup) Measure(count func(int) int) {
	if !b.job.TryLock() {
		return
	}
	defer b.job.Unlock()
	b.mu.Lock()
	size := b.size
	b.mu.Unlock()
	size = count(size)
	b.mu.Lock()
	b.size = size // want `lost-update: .*size was read`
	b.mu.Unlock()
}

func (b *Backup) Truncate() {
	b.mu.Lock()
	b.size = 0
	b.mu.Unlock()
}

// A read at the end of a passage and a write at its beginning, in the next
// round of a loop.

type Meter struct {
	mu    sync.Mutex
	total int
}

func (m *Meter) Carried(rounds int) {
	last := 0
	for i := range rounds {
		m.mu.Lock()
		if i > 0 {
			m.total = last * 2 // want `lost-update: .*total was read`
		}
		last = m.total
		m.mu.Unlock()
	}
}

func (m *Meter) Set(n int) {
	m.mu.Lock()
	m.total = n
	m.mu.Unlock()
}

// A count that may rise again is read after it was changed.

type Light struct {
	mu    sync.Mutex
	users int
	lamp  *item
}

func (l *Light) Enter() {
	l.mu.Lock()
	l.users++
	if l.lamp == nil {
		l.lamp = new(item)
	}
	l.mu.Unlock()
}

func (l *Light) Leave() {
	l.mu.Lock()
	l.users--
	last := l.users == 0
	l.mu.Unlock()
	if last {
		l.mu.Lock()
		l.lamp = nil // MISSED: check-then-act: somebody may have entered
		l.mu.Unlock()
	}
}

type Pin struct {
	refs atomic.Int32
	mu   sync.Mutex
	m    map[string]*item
}

func (p *Pin) Get(k string) *item {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refs.Add(1)
	return p.m[k]
}

func (p *Pin) Drop() {
	if p.refs.Add(-1) > 0 {
		return
	}
	p.mu.Lock()
	clear(p.m) // MISSED: check-then-act: Get may have come in between
	p.mu.Unlock()
}

// A lock of one's own.

type spin struct{ held atomic.Bool }

func (s *spin) Lock() {
	for !s.held.CompareAndSwap(false, true) {
	}
}

func (s *spin) Unlock() { s.held.Store(false) }

type Odo struct {
	lock spin
	km   int
}

func (o *Odo) Double() {
	o.lock.Lock()
	km := o.km
	o.lock.Unlock()
	o.lock.Lock()
	o.km = km * 2 // want `lost-update: o\.km was read`
	o.lock.Unlock()
}

// The Locker for readers.

type Rates struct {
	mu    sync.RWMutex
	table map[string]*item
}

func (r *Rates) For(name string) {
	l := r.mu.RLocker()
	l.Lock()
	_, ok := r.table[name]
	l.Unlock()
	if !ok {
		r.mu.Lock()
		r.table[name] = new(item) // want `check-then-act: r\.table\[name\] was checked`
		r.mu.Unlock()
	}
}

func (r *Rates) Drop(name string) {
	r.mu.Lock()
	delete(r.table, name)
	r.mu.Unlock()
}

// Variables of a function that its goroutines share.

func Sum(parts []int) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	for _, p := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			s := sum
			mu.Unlock()
			s = s*2 + p
			mu.Lock()
			sum = s // want `lost-update: sum was read`
			mu.Unlock()
		}()
	}
	wg.Wait()
	return sum
}

// One lock beside another: Close handles both variables.

type Link struct {
	in, out sync.Mutex
	peer    *item
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

func (l *Link) Open(e *item) {
	l.in.Lock()
	l.peer = e
	l.in.Unlock()
}

func (l *Link) Send(n int) bool {
	l.in.Lock()
	ok := l.peer != nil
	l.in.Unlock()
	if !ok {
		return false
	}
	l.out.Lock()
	l.queue = append(l.queue, n) // want `check-then-act: l\.peer was checked`
	l.out.Unlock()
	return true
}
