// Package versions has numbers that are raised with each change of what they tell of.
package versions

import (
	"sync"
	"sync/atomic"
)

type memo struct {
	mu   sync.Mutex
	kept map[string]bool
	of   uint64
}

func (m *memo) keep(gen uint64, k string, on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of != gen {
		m.kept, m.of = make(map[string]bool), gen
	}
	m.kept[k] = on
}

// Early raises the version before the rules are there, which makes old answers new ones.
type Early struct {
	reload sync.Mutex
	gen    atomic.Uint64
	rules  atomic.Pointer[map[string]bool]
	memo   memo
}

func (e *Early) Replace(rules map[string]bool) {
	e.reload.Lock()
	defer e.reload.Unlock()
	e.gen.Add(1)
	e.rules.Store(&rules)
}

func (e *Early) Enabled(k string) bool {
	gen := e.gen.Load()
	on := (*e.rules.Load())[k] // want `split-read: e.gen at line \d+ and e.rules here are read apart`
	e.memo.keep(gen, k, on)
	return on
}

// Late is read in the other order: the version may be newer than the answer.
type Late struct {
	reload sync.Mutex
	gen    atomic.Uint64
	rules  atomic.Pointer[map[string]bool]
	memo   memo
}

func (l *Late) Replace(rules map[string]bool) {
	l.reload.Lock()
	defer l.reload.Unlock()
	l.rules.Store(&rules)
	l.gen.Add(1)
}

func (l *Late) Enabled(k string) bool {
	on := (*l.rules.Load())[k]
	gen := l.gen.Load() // want `split-read: l.rules at line \d+ and l.gen here are read apart`
	l.memo.keep(gen, k, on)
	return on
}

// Locked changes both in one section.
type Locked struct {
	mu    sync.Mutex
	gen   uint64
	rules map[string]bool
	memo  memo
}

func (l *Locked) Replace(rules map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gen++
	l.rules = rules
}

func (l *Locked) version() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gen
}

func (l *Locked) enabled(k string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rules[k]
}

func (l *Locked) Enabled(k string) bool {
	gen := l.version()
	on := l.enabled(k)
	l.memo.keep(gen, k, on)
	return on
}

// Keys have their numbers as names.
type Keys struct {
	rotate sync.Mutex
	active atomic.Uint64
	key    atomic.Pointer[[]byte]

	mu  sync.Mutex
	all map[uint64][]byte
}

func (k *Keys) Rotate(key []byte) {
	k.rotate.Lock()
	defer k.rotate.Unlock()
	id := k.active.Load() + 1
	k.mu.Lock()
	k.all[id] = key
	k.mu.Unlock()
	k.key.Store(&key)
	k.active.Store(id)
}

func (k *Keys) Seal(seal func(id uint64, key []byte)) {
	id := k.active.Load()
	key := *k.key.Load() // want `split-read: k.active at line \d+ and k.key here are read apart`
	seal(id, key)
}

// Told says which version it is of what it tells.
type Told struct {
	mu   sync.Mutex
	term uint64
	lead string
}

func (t *Told) Elect(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.term++
	t.lead = name
}

func (t *Told) number() uint64 { t.mu.Lock(); defer t.mu.Unlock(); return t.term }
func (t *Told) leader() string { t.mu.Lock(); defer t.mu.Unlock(); return t.lead }

func (t *Told) Tell(tell func(uint64, string)) {
	term := t.number()
	lead := t.leader() // want `split-read: t.term at line \d+ and t.lead here are read apart`
	tell(term, lead)
}
