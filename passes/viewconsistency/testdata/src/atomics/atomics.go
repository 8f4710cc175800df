// Package atomics has variables of which every access is atomic, and pairs of
// them are not.
package atomics

import (
	"sync"
	"sync/atomic"
)

// A pair of atomic variables.

type limits struct {
	soft, hard atomic.Int64
}

func (l *limits) Set(n int64) {
	l.soft.Store(n / 2)
	l.hard.Store(n)
}

func (l *limits) Room() int64 {
	soft := l.soft.Load()
	hard := l.hard.Load() // want `split-read: l\.soft at line 22 and l\.hard here are read apart, in separate atomic operations, but written together by \(\*limits\)\.Set \(atomics\.go:`
	return hard - soft
}

func (l *limits) Inside(n int64) bool {
	return l.soft.Load() <= n && n <= l.hard.Load() // want `split-read: l\.soft at line 28 and l\.hard here are read apart, in separate atomic operations`
}

func (l *limits) Hard() int64 { return l.hard.Load() }

// Packed in one they belong together.

type packed struct {
	both atomic.Pointer[[2]int64]
}

func (p *packed) Set(n int64) { p.both.Store(&[2]int64{n / 2, n}) }

func (p *packed) Room() int64 {
	b := p.both.Load()
	return b[1] - b[0]
}

// Old style.

type gauge struct {
	min, max uint64
}

func (g *gauge) Set(lo, hi uint64) {
	atomic.StoreUint64(&g.min, lo)
	atomic.StoreUint64(&g.max, hi)
}

func (g *gauge) Width() uint64 {
	return atomic.LoadUint64(&g.max) - atomic.LoadUint64(&g.min) // want `split-read: g\.max at line 58 and g\.min here are read apart, in separate atomic operations`
}

// Through accessors.
func (g *gauge) Min() uint64 { return atomic.LoadUint64(&g.min) }
func (g *gauge) Max() uint64 { return atomic.LoadUint64(&g.max) }

func (g *gauge) Middle() uint64 {
	return (g.Min() + g.Max()) / 2 // want `split-read: g\.min at line 66 and g\.max here are read apart, in separate atomic operations`
}

// Two variables that are set independently.

type options struct {
	verbose atomic.Bool
	level   atomic.Int32
}

func (o *options) SetVerbose(on bool) { o.verbose.Store(on) }
func (o *options) SetLevel(n int32)   { o.level.Store(n) }

func (o *options) Effective() int32 {
	if o.verbose.Load() {
		return o.level.Load() + 1
	}
	return o.level.Load()
}

// A guarded field, and an atomic variable that is written under the lock.

type feed struct {
	mu    sync.Mutex
	items []string
	count atomic.Int64
}

func (f *feed) Replace(items []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = items
	f.count.Store(int64(len(items)))
}

func (f *feed) Last() string {
	n := f.count.Load()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.items[n-1] // want `split-read: f\.count at line 102 and f\.items\[…\] here are read apart, in separate critical sections`
}

func (f *feed) LastAtOnce() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.items[f.count.Load()-1]
}

func (f *feed) LastOfItems() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.items[len(f.items)-1]
}

// A flag that says that the rest is there.

type config struct {
	ready     atomic.Bool
	low, high atomic.Int64
}

func (c *config) Publish(lo, hi int64) {
	c.low.Store(lo)
	c.high.Store(hi)
	c.ready.Store(true)
}

func (c *config) Range() int64 {
	if !c.ready.Load() {
		return 0
	}
	return c.high.Load() - c.low.Load()
}

// Counters that only come together in a list of such.

type metrics struct {
	hits, misses atomic.Int64
}

type Snapshot struct{ Hits, Misses int64 }

func (m *metrics) Hit()  { m.hits.Add(1) }
func (m *metrics) Miss() { m.misses.Add(1) }

func (m *metrics) Reset() {
	m.hits.Store(0)
	m.misses.Store(0)
}

func (m *metrics) Snapshot() Snapshot {
	return Snapshot{Hits: m.hits.Load(), Misses: m.misses.Load()}
}

// Package variables.

var minLevel, maxLevel atomic.Int32

func SetLevels(lo, hi int32) {
	minLevel.Store(lo)
	maxLevel.Store(hi)
}

func Enabled(n int32) bool {
	return n >= minLevel.Load() && n <= maxLevel.Load() // want `split-read: minLevel at line 170 and maxLevel here are read apart, in separate atomic operations, but written together by SetLevels`
}

// Pointers.

type route struct {
	next atomic.Pointer[string]
	cost atomic.Pointer[int]
}

func (r *route) Change(next string, cost int) {
	r.next.Store(&next)
	r.cost.Store(&cost)
}

func (r *route) Best() (string, int) {
	return *r.next.Load(), *r.cost.Load() // want `split-read: r\.next at line 186 and r\.cost here are read apart, in separate atomic operations`
}

func (r *route) Cost() int { return *r.cost.Load() }

// Two maps that one function changes.

type tags struct {
	names, ids sync.Map
}

func (t *tags) Add(name string, id int) {
	t.names.Store(id, name)
	t.ids.Store(name, id)
}

func (t *tags) Lookup(name string, id int) (any, any) {
	n, _ := t.names.Load(id)
	i, _ := t.ids.Load(name) // want `split-read: t\.names\[id\] at line 203 and t\.ids\[name\] here are read apart, in separate atomic operations, but written together by \(\*tags\)\.Add`
	return n, i
}

func (t *tags) Name(id int) any {
	n, _ := t.names.Load(id)
	return n
}

// Under a lock that all who store hold the two are read as one.

type dial struct {
	mu       sync.Mutex
	min, max atomic.Int64
}

func (d *dial) Set(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.min.Store(-n)
	d.max.Store(n)
}

func (d *dial) Range() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.max.Load() - d.min.Load()
}

func (d *dial) RangeApart() int64 {
	return d.max.Load() - d.min.Load() // want `split-read: d\.max at line 234 and d\.min here are read apart, in separate atomic operations, but written together by \(\*dial\)\.Set`
}

// A pair that is checked by a number before and after.

type seqlock struct {
	seq  atomic.Uint64
	a, b atomic.Int64
}

func (s *seqlock) Set(n int64) {
	s.seq.Add(1)
	s.a.Store(n)
	s.b.Store(n * 2)
	s.seq.Add(1)
}

func (s *seqlock) Sum() int64 {
	for {
		seq := s.seq.Load()
		a := s.a.Load()
		b := s.b.Load()
		if seq%2 == 0 && s.seq.Load() == seq {
			return a + b
		}
	}
}
