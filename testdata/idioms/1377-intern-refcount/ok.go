package idiom1377

import (
	"sync"
	"sync/atomic"
)

type entry struct {
	s    string
	refs atomic.Int64
}

// pool interns label strings that are shared by many series.
type pool struct {
	mtx  sync.RWMutex
	pool map[string]*entry
}

func newPool() *pool {
	return &pool{pool: make(map[string]*entry)}
}

func newEntry(s string) *entry {
	e := &entry{s: s}
	e.refs.Store(1)
	return e
}

func (p *pool) intern(s string) string {
	if s == "" {
		return ""
	}

	p.mtx.RLock()
	interned, ok := p.pool[s]
	if ok {
		interned.refs.Add(1)
		p.mtx.RUnlock()
		return interned.s
	}
	p.mtx.RUnlock()

	p.mtx.Lock()
	defer p.mtx.Unlock()
	if interned, ok := p.pool[s]; ok {
		interned.refs.Add(1)
		return interned.s
	}
	p.pool[s] = newEntry(s)
	return s
}

func (p *pool) release(s string) {
	p.mtx.RLock()
	interned, ok := p.pool[s]
	p.mtx.RUnlock()
	if !ok {
		return
	}

	if interned.refs.Add(-1) > 0 {
		return
	}

	p.mtx.Lock()
	defer p.mtx.Unlock()
	if p.pool[s] != interned || interned.refs.Load() != 0 {
		return
	}
	delete(p.pool, s)
}

// Labels holds references to interned strings.
type Labels struct {
	p    *pool
	vals []string
}

// Intern returns labels with shared strings.
func (p *pool) Intern(vals ...string) *Labels {
	ls := &Labels{p: p}
	for _, v := range vals {
		ls.vals = append(ls.vals, p.intern(v))
	}
	return ls
}

// Release gives the references up; it is called once by the owner.
func (l *Labels) Release() {
	for _, v := range l.vals {
		l.p.release(v)
	}
}
