// Package flow has the ways that lead, or do not lead, from one passage through a
// lock to the next.
package flow

import "sync"

type gauge struct {
	mu sync.Mutex
	n  int
}

func (g *gauge) get() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

func (g *gauge) set(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n = n
}

func (g *gauge) twice() (int, int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n, 2 * g.n
}

type panel struct {
	mu     sync.Mutex
	g      *gauge
	spare  *gauge
	all    []*gauge
	by     map[string]*gauge
	shown  int
	ready  *sync.Cond
	opened bool
}

var fallback = new(gauge)

// Set is what others do to a gauge.
func Set(g *gauge, n int) { g.set(n) }

func Straight(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.g.get()
	return p.g.get() - before // want `reacquire: p\.g\.mu is taken again here, after line 49, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// In line, without accessors.
func Inline(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.g.mu.Lock()
	before := p.g.n
	p.g.mu.Unlock()
	p.g.mu.Lock() // want `reacquire: p\.g\.mu is taken again here, after line 57, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
	after := p.g.n
	p.g.mu.Unlock()
	return after - before
}

func Once(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, b := p.g.twice()
	return a - b
}

// Only one of two branches is taken.
func Branches(p *panel, raw bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if raw {
		return p.g.get()
	} else {
		return p.g.get() + 1
	}
}

func Switch(p *panel, k int) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch k {
	case 0:
		n = p.g.get()
	case 1:
		n = p.g.get() + 1
	default:
		n = p.g.get() + 2
	}
	return n
}

// The second is behind both branches.
func BranchThenBoth(p *panel, raw bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	if raw {
		n = p.g.get()
	}
	return n - p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 104, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// There are two places for the first and one for the second.
func TwoFirsts(p *panel, raw bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var n int
	if raw {
		n = p.g.get()
	} else {
		n = 2 * p.g.get()
	}
	return n - p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 117, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// Three in a row: one report, with the further places in it.
func Three(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.g.get()
	b := p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 126, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
	return a + b - p.g.get()
}

// Two contexts.
func TwoContexts(p, q *panel, g *gauge) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	before := g.get()
	return g.get() - before // want `reacquire: g\.mu is taken again here, after line 137, in one critical section of p\.mu; what the first passage reads of g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// One call in a loop.
func Loop(p *panel, n int) int {
	sum := 0
	p.mu.Lock()
	defer p.mu.Unlock()
	for range n {
		sum += p.g.get() // want `reacquire: p\.g\.mu is taken again in each round of the loop, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
	}
	return sum
}

func LoopInline(p *panel, n int) (sum int) {
	p.mu.Lock()
	for range n {
		p.g.mu.Lock() // want `reacquire: p\.g\.mu is taken again in each round of the loop, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
		sum += p.g.n
		p.g.mu.Unlock()
	}
	p.mu.Unlock()
	return sum
}

// The context is taken in each round.
func LoopOutside(p *panel, n int) (sum int) {
	for range n {
		p.mu.Lock()
		sum += p.g.get()
		p.mu.Unlock()
	}
	return sum
}

// The loop is left after the first round.
func LoopLeft(p *panel, n int) (sum int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range n {
		if i%3 == 2 {
			sum += p.g.get()
			break
		}
	}
	return sum
}

// Another one in each round.
func Elements(p *panel) (sum int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 0; i < len(p.all); i++ {
		sum += p.all[i].get()
	}
	return sum
}

func Range(p *panel) (sum int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.all {
		sum += g.get()
	}
	for _, g := range p.by {
		sum += g.get()
	}
	return sum
}

func Next(p *panel, i int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.all[i].get()
	i++
	return n - p.all[i].get()
}

func Same(p *panel, i int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.all[i].get()
	return n - p.all[i].get() // want `reacquire: p\.all\[…\]\.mu is taken again here, after line 219, in one critical section of p\.mu; what the first passage reads of p\.all\[…\]\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

func Constants(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[0].get() - p.all[1].get()
}

func SameConstant(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.all[0].get()
	return n - p.all[0].get() // want `reacquire: p\.all\[…\]\.mu is taken again here, after line 232, in one critical section of p\.mu; what the first passage reads of p\.all\[…\]\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

func Keys(p *panel, k, l string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.by[k].get() - p.by[l].get()
}

func SameKey(p *panel, k string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.by[k].get()
	return n - p.by[k].get() // want `reacquire: p\.by\[…\]\.mu is taken again here, after line 245, in one critical section of p\.mu; what the first passage reads of p\.by\[…\]\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// The index stays the same for all rounds of the loop inside.
func Inner(p *panel, n int) int {
	sum := 0
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.all {
		g := p.all[i]
		for range n {
			sum += g.get() // want `reacquire: gauge\.mu is taken again in each round of the loop, in one critical section of p\.mu; what the first passage reads of gauge\.n may be changed in between by (Set|\(\*gauge\)\.set)`
		}
	}
	return sum
}

// The variable names another lock the second time.
func Variable(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.g
	n := g.get()
	g = p.spare
	return n - g.get()
}

func VariableKept(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.g
	n := g.get()
	return n - g.get() // want `reacquire: p\.g\.mu is taken again here, after line 277, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// So does the field.
func Field(p *panel, other *gauge) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.g.get()
	p.g = other
	return n - p.g.get()
}

func OtherField(p *panel, other *gauge) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.g.get()
	p.spare = other
	return n - p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 293, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// And that of a list, in each round.
type link struct {
	mu   sync.Mutex
	n    int
	next *link
}

func (l *link) value() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *link) Put(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}

func List(p *panel, l *link) (sum int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; l != nil; l = l.next {
		sum += l.value()
	}
	return sum
}

// The witness is held already; nothing is given up.
func Held(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	n := p.g.n
	n -= locked(p.g)
	return n - locked(p.g)
}

func locked(g *gauge) int { return g.n }

// It is the context itself, given up and taken again.
func Itself(p *panel) int {
	p.mu.Lock()
	n := p.shown
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return n - p.shown
}

// The context is given up in between.
func Released(p *panel) int {
	p.mu.Lock()
	n := p.g.get()
	p.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return n - p.g.get()
}

// On some of the ways.
func ReleasedSometimes(p *panel, pause bool) int {
	p.mu.Lock()
	n := p.g.get()
	if pause {
		p.mu.Unlock()
		p.mu.Lock()
	}
	n -= p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 362, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
	p.mu.Unlock()
	return n
}

// By a callee.
func ReleasedInside(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.g.get()
	p.yield()
	return n - p.g.get()
}

func (p *panel) yield() {
	p.mu.Unlock()
	p.mu.Lock()
}

// By one that does not give anything up.
func NotReleasedInside(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.g.get()
	p.show(n)
	return n - p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 390, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

func (p *panel) show(n int) { p.shown = n }

// By waiting.
func Waited(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.g.get()
	for !p.opened {
		p.ready.Wait()
	}
	return n - p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 401, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

func (p *panel) Open() {
	p.mu.Lock()
	p.opened = true
	p.ready.Broadcast()
	p.mu.Unlock()
}

func NewPanel() *panel {
	p := &panel{by: make(map[string]*gauge)}
	p.ready = sync.NewCond(&p.mu)
	return p
}

// Given up at the end of each round, taken again at the beginning.
func Rounds(p *panel, n int) (sum int) {
	for range n {
		p.mu.Lock()
		a := p.g.get()
		sum += a - p.g.get() // want `reacquire: p\.g\.mu is taken again here, after line 425, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
		p.mu.Unlock()
	}
	return sum
}

// The first is before the context.
func Before(p *panel) int {
	n := p.g.get()
	p.mu.Lock()
	defer p.mu.Unlock()
	return n - p.g.get()
}

// The second is behind it.
func After(p *panel) int {
	p.mu.Lock()
	n := p.g.get()
	p.mu.Unlock()
	return n - p.g.get()
}

// A goroutine does not have the context; a deferred call is the last.
func Spawned(p *panel, out chan<- int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.g.get()
	go func() { out <- n - p.g.get() }()
}

// Package variables.
var (
	panelMu sync.Mutex
	levelMu sync.Mutex
	level   int
)

func Level() int {
	levelMu.Lock()
	defer levelMu.Unlock()
	return level
}

func SetLevel(n int) {
	levelMu.Lock()
	defer levelMu.Unlock()
	level = n
}

func Swing() int {
	panelMu.Lock()
	defer panelMu.Unlock()
	n := Level()
	return Level() - n // want `reacquire: levelMu is taken again here, after line 478, in one critical section of panelMu; what the first passage reads of level may be changed in between by SetLevel`
}

func Fallback() int {
	panelMu.Lock()
	defer panelMu.Unlock()
	n := fallback.get()
	return fallback.get() - n // want `reacquire: fallback\.mu is taken again here, after line 485, in one critical section of panelMu; what the first passage reads of fallback\.n may be changed in between by (Set|\(\*gauge\)\.set)`
}

// An object that nobody else knows.
func Fresh(p *panel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := &gauge{n: 1}
	n := g.get()
	return n - g.get()
}

// Ended by a panic, a return, a goto.
func Early(p *panel, strict bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.g.get() < 0 {
		panic("negative")
	}
	if strict {
		return 0
	}
	return 1
}

func Retry(p *panel, max int) int {
	n := 0
	p.mu.Lock()
	defer p.mu.Unlock()
again:
	n += p.g.get() // want `reacquire: p\.g\.mu is taken again in each round of the loop, in one critical section of p\.mu; what the first passage reads of p\.g\.n may be changed in between by (Set|\(\*gauge\)\.set)`
	if n < max {
		goto again
	}
	return n
}

// Each round is for one reader; what was read decides how it goes on only in so far as
// it may be broken.
type journal struct {
	mu   sync.Mutex
	seen map[chan int]int
	g    *gauge
}

func (j *journal) Sync(last int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for c, next := range j.seen {
		if next > last {
			continue
		}
		n := j.g.get()
		if n < 0 {
			panic("broken")
		}
		select {
		case c <- n:
			j.seen[c] = last + 1
		default:
		}
	}
}

// Here it decides when to stop.
func (j *journal) SyncSome(last int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for c, next := range j.seen {
		n := j.g.get() // want `reacquire: j\.g\.mu is taken again in each round of the loop`
		if n < next {
			return
		}
		j.seen[c] = n + 1
	}
}

// What was read is not compared with what is there then.

type shelf struct {
	mu sync.Mutex
	m  map[string]int
}

func (s *shelf) Get(k string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[k]
}

func (s *shelf) Put(k string, v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
}

func (s *shelf) Drop(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, k)
}

type clerk struct {
	mu        sync.Mutex
	low, high int
}

func (c *clerk) Forget(s *shelf, k string, save func(int)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := s.Get(k)
	s.Drop(k) // want `reacquire: s\.mu is taken again here, after line \d+, in one critical section of c\.mu`
	save(old)
}

// Both reads decide what is written to one place each, of two that belong together.
func (c *clerk) Bounds(g *gauge) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.get() < 10 {
		c.low = 10
	}
	c.high = g.get() // want `reacquire: g\.mu is taken again here, after line \d+, in one critical section of c\.mu`
}

// Two decisions may be made one after the other.
func (c *clerk) Marks(g *gauge) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.get() < 10 {
		c.low = 10
	}
	if g.get() > 90 {
		c.high = 90
	}
}

func (c *clerk) Reset(low, high int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.low, c.high = low, high
}

// One decision by both.

type frame struct {
	mu   sync.Mutex
	w, h int
}

func (f *frame) Resize(w, h int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.w, f.h = w, h
}

func (f *frame) width() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.w
}

func (f *frame) height() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.h
}

func (f *frame) isWide() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.w > f.h
}

func (c *clerk) Wide(f *frame, mark func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.width() > f.height() { // want `reacquire: f\.mu is taken again here, after line \d+, in one critical section of c\.mu`
		mark()
	}
}

func (c *clerk) WideAtOnce(f *frame, mark func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.isWide() {
		mark()
	}
}

// Two variables are compared with each other: the second read does not confirm the first.
func (c *clerk) Square(f *frame, mark func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.width() == f.height() { // want `reacquire: f\.mu is taken again here, after line \d+, in one critical section of c\.mu`
		mark()
	}
}
