package escaperef

import (
	"slices"
	"sync"
)

// Elements that are structs are in the array of the slice: to write a field of one is to change the
// slice in place.

type span struct{ from, to int }

type spans []span

// merge extends the last one, which its caller has.
func (s spans) merge(x span) spans {
	if n := len(s); n > 0 && s[n-1].to >= x.from {
		s[n-1].to = x.to
		return s
	}
	return append(s, x)
}

type Marks struct {
	mu    sync.Mutex
	all   []span
	named map[string]spans
	kept  []*span
	moved []span
}

func (m *Marks) All() []span {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all // want `escape-ref: m\.all was taken at line \d+ under m\.mu and is returned here to callers without that lock, while \(\*Marks\)\.Extend changes elements of it in place`
}

func (m *Marks) Named(name string) spans {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.named[name] // want `escape-ref: m\.named\[name\] was taken at line \d+ under m\.mu and is returned here to callers without that lock, while \(\*Marks\)\.Add changes elements of it in place`
}

// Kept returns pointers: what is behind them is not in the slice.
func (m *Marks) Kept() []*span {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kept
}

// Moved returns a slice that Move replaces by a changed copy.
func (m *Marks) Moved() []span {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.moved
}

func (m *Marks) Extend(i, to int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all[i].to = to
}

func (m *Marks) Add(name string, x span) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.named[name] = m.named[name].merge(x)
}

func (m *Marks) Keep(i, to int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[i].to = to
}

func (m *Marks) Move(i, to int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	moved := append([]span(nil), m.moved...)
	moved[i].to = to
	m.moved = moved
}

func (m *Marks) Reset(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all, m.kept = make([]span, n), make([]*span, n)
}

// A Rota has a list whose elements are moved in place when one is taken out.
type Rota struct {
	mu    sync.Mutex
	names []string
	calls []string
}

func (r *Rota) Remove(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = slices.Delete(r.names, i, i+1)
	r.calls = slices.Delete(slices.Clone(r.calls), i, i+1)
}

func (r *Rota) Call(f func(string)) {
	r.mu.Lock()
	names, calls := r.names, r.calls
	r.mu.Unlock()
	for _, n := range names { // want `escape-ref: r\.names was taken at line \d+ under r\.mu and is used here after that was released, while \(\*Rota\)\.Remove changes elements of it in place`
		f(n)
	}
	for _, n := range calls { // Remove makes a copy
		f(n)
	}
}
