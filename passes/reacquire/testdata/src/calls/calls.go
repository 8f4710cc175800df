// Package calls has passages and contexts that are in other functions.
package calls

import "sync"

type tank struct {
	mu    sync.RWMutex
	level int
	limit int
}

func (t *tank) Level() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.level
}

func (t *tank) Limit() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.limit
}

func (t *tank) Fill(level, limit int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level, t.limit = level, limit
}

func (t *tank) Draw(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level -= n
}

type plant struct {
	mu    sync.Mutex
	t     *tank
	stock int
	log   func(int)
}

// In two callees.
func (p *plant) Room() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit() - p.level() // want `reacquire: p\.t\.mu is taken again here, after line 47, in one critical section of p\.mu; what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
}

func (p *plant) limit() int { return p.t.Limit() }
func (p *plant) level() int { return p.t.Level() }

// Two levels down.
func (p *plant) Share() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return 100 * p.outerLevel() / p.outerLimit() // want `reacquire: p\.t\.mu is taken again here, after line 57, in one critical section of p\.mu; what the first passage reads of p\.t\.level may be changed in between by \(\*tank\)\.Fill`
}

func (p *plant) outerLimit() int { return p.limit() }
func (p *plant) outerLevel() int { return p.level() }

// One is here, one there.
func (p *plant) Mixed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.mu.RLock()
	limit := p.t.limit
	p.t.mu.RUnlock()
	return limit - p.level() // want `reacquire: p\.t\.mu is taken again here, after line 67, in one critical section of p\.mu; what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
}

// Functions, with the tank as a parameter.
func space(t *tank) int { return t.Limit() }
func used(t *tank) int  { return t.Level() }

func (p *plant) Free() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return space(p.t) - used(p.t) // want `reacquire: p\.t\.mu is taken again here, after line 80, in one critical section of p\.mu; what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
}

func (p *plant) FreeOf(a, b *tank) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return space(a) - used(b)
}

// The context is in the caller, in each of them.
func (p *plant) Refill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stock -= p.missing()
}

func (p *plant) Check() int {
	p.mu.Lock()
	n := p.missing()
	p.mu.Unlock()
	return n
}

func (p *plant) missing() int {
	limit := p.t.Limit()
	return limit - p.t.Level() // want `reacquire: p\.t\.mu is taken again here, after line 104, in one critical section of p\.mu \(held by \(\*plant\)\.Refill\); what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
}

// Two levels up.
func (p *plant) Watch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch()
}

func (p *plant) watch() { p.log(p.gap()) }

func (p *plant) gap() int {
	level := p.t.Level()
	return p.t.Limit() - level // want `reacquire: p\.t\.mu is taken again here, after line 118, in one critical section of p\.mu \(held by \(\*plant\)\.Watch\); what the first passage reads of p\.t\.level may be changed in between by \(\*tank\)\.Fill`
}

// In some of the callers only.
func (p *plant) Some() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stock = p.maybe()
}

func (p *plant) None() int { return p.maybe() }

func (p *plant) maybe() int {
	limit := p.t.Limit()
	return limit - p.t.Level()
}

// In none.
func (p *plant) Free2() int { return p.never() }

func (p *plant) never() int {
	limit := p.t.Limit()
	return limit - p.t.Level()
}

// The context is taken by one callee, and given up by another.
func (p *plant) lock()   { p.mu.Lock() }
func (p *plant) unlock() { p.mu.Unlock() }

func (p *plant) Wrapped() int {
	p.lock()
	defer p.unlock()
	limit := p.t.Limit()
	return limit - p.t.Level() // want `reacquire: p\.t\.mu is taken again here, after line 151, in one critical section of p\.mu; what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
}

func (p *plant) WrappedTwice() int {
	p.lock()
	limit := p.t.Limit()
	p.unlock()
	p.lock()
	defer p.unlock()
	return limit - p.t.Level()
}

// So is the witness.
func (t *tank) lock()   { t.mu.Lock() }
func (t *tank) unlock() { t.mu.Unlock() }

func (p *plant) WrappedWitness() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.lock()
	limit := p.t.limit
	p.t.unlock()
	p.t.lock() // want `reacquire: p\.t\.mu is taken again here, after line 171, in one critical section of p\.mu; what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
	defer p.t.unlock()
	return limit - p.t.level
}

// Method values of both.
func (p *plant) MethodValues() int {
	lock, unlock := p.lock, p.unlock
	lock()
	defer unlock()
	level := p.t.Level
	limit := p.t.Limit
	n := limit()
	return n - level() // want `reacquire: p\.t\.mu is taken again here, after line 186, in one critical section of p\.mu; what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
}

// A function that runs another under the context.
func (p *plant) withLock(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *plant) Literal() (n int) {
	p.withLock(func() {
		n = p.t.Limit()
		n -= p.t.Level() // want `reacquire: p\.t\.mu is taken again here, after line 199, in one critical section of p\.mu \(held by \(\*plant\)\.Literal\); what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
	})
	return n
}

func (p *plant) Literals() (n int) {
	p.withLock(func() { n = p.t.Limit() })
	p.withLock(func() { n -= p.t.Level() })
	return n
}

// And under the witness.
func (t *tank) with(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (p *plant) LiteralWitness() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var level, limit int
	p.t.with(func() { limit = p.t.limit })
	p.t.with(func() { level = p.t.level }) // want `reacquire: p\.t\.mu is taken again here, after line 222, in one critical section of p\.mu; what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
	return limit - level
}

func (p *plant) LiteralOnce() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var level, limit int
	p.t.with(func() { level, limit = p.t.level, p.t.limit })
	return limit - level
}

// A literal that is called at once, or by a name.
func (p *plant) Called() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	level := func() int { return p.t.Level() }
	n := level()
	return n - level() // want `reacquire: p\.t\.mu is taken again here, after line 240, in one critical section of p\.mu; what the first passage reads of p\.t\.level may be changed in between by \(\*tank\)\.Fill`
}

func (p *plant) AtOnce() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return func() int {
		n := p.t.Limit()
		return n - p.t.Level() // want `reacquire: p\.t\.mu is taken again here, after line 248, in one critical section of p\.mu \(held by \(\*plant\)\.AtOnce\); what the first passage reads of p\.t\.limit may be changed in between by \(\*tank\)\.Fill`
	}()
}

// Through an interface.
type vessel interface {
	Level() int
	Limit() int
}

func (p *plant) Interface(v vessel) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := v.Limit()
	return limit - v.Level() // want `reacquire: v\.mu is taken again here, after line 262, in one critical section of p\.mu; what the first passage reads of v\.limit may be changed in between by \(\*tank\)\.Fill`
}

// A field of a function type, with a method of the tank in it.
type meter struct {
	mu    sync.Mutex
	level func() int
	last  int
}

func newMeter(t *tank) *meter { return &meter{level: t.Level} }

func (m *meter) Diff() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.level()
	m.last = n
	return n - m.level() // want `reacquire: m\.level\.mu is taken again here, after line 278, in one critical section of m\.mu; what the first passage reads of m\.level\.level may be changed in between by \(\*tank\)\.Fill`
}

func (m *meter) DiffOnce() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.level()
	d := n - m.last
	m.last = n
	return d
}

// A field that holds different functions is not known.
type anyMeter struct {
	mu    sync.Mutex
	level func() int
}

func newAnyMeter(f func() int) *anyMeter { return &anyMeter{level: f} }

func (m *anyMeter) Diff() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.level()
	return n - m.level()
}

// Recursion.
func (p *plant) Deep(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deep(n)
}

func (p *plant) deep(n int) int {
	if n == 0 {
		return 0
	}
	return p.t.Level() + p.deep(n-1) // want `reacquire: p\.t\.mu is taken again here, after line 318, in one critical section of p\.mu \(held by \(\*plant\)\.Deep\); what the first passage reads of p\.t\.level may be changed in between by \(\*tank\)\.Fill`
}

// A generic function. The context is a parameter.
func diff[V vessel](mu *sync.Mutex, v V) int {
	mu.Lock()
	defer mu.Unlock()
	limit := v.Limit()
	return limit - v.Level() // want `reacquire: v\.mu is taken again here, after line 325, in one critical section of mu; what the first passage reads of v\.limit may be changed in between by \(\*tank\)\.Fill`
}

func (p *plant) Generic() int { return diff(&p.mu, p.t) }
