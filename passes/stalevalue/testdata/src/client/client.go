// Package client uses package store, of which it knows no more than the facts.
package client

import "store"

func EnsureAtOnce(s *store.Store, name string) *store.Item {
	if it := s.Get(name); it != nil {
		return it
	}
	it, _ := s.PutIfAbsent(name, &store.Item{Name: name})
	return it
}

func RegisterAtOnce(s *store.Store, it *store.Item) bool {
	_, ok := s.PutIfAbsent(it.Name, it)
	return ok
}

// RegisterOther puts another key than it has looked for.
func RegisterOther(s *store.Store, name, alias string) {
	if it, ok := s.Find(name); ok {
		s.Put(alias, it)
	}
}

func Double(s *store.Store) {
	n := s.Limit()
	n *= 2
	s.SetLimit(n) // want `lost-update: s\.limit was read at line \d+, but s\.mu was released when Limit returned and an update by another goroutine is lost by this call of SetLimit`
}

// What is added was there already: after a concurrent change it is not doubled.
func Raise(s *store.Store) {
	s.Raise(s.Limit()) // want `lost-update: s\.limit was read at line \d+`
}

// To take away what was seen is right, whatever has come since.
func Lower(s *store.Store) { s.Raise(-s.Limit()) }

func LowerTo(s *store.Store, n int) { s.Raise(n - s.Limit()) }

func DoubleAtOnce(s *store.Store) {
	s.Update(func(n int) int { return n * 2 })
}

// Unrelated fields.
func Unrelated(s *store.Store) {
	if s.Limit() > 100 {
		s.SetSum(0)
	}
}

// Two objects.
func Level(a, b *store.Store) {
	if n := a.Limit(); n > 10 {
		b.SetLimit(n)
	}
}

// Move takes from one store what it puts into another.
func Move(dst, src *store.Store, name string) {
	if it := src.Take(name); it != nil {
		dst.Put(name, it)
	}
}

// Collect works on the copy that it makes under the lock.
func Collect(s *store.Store) (names []string) {
	s.Do(func(it *store.Item) { names = append(names, it.Name) })
	return names
}

// Literals run under the lock of the callee.
type book struct {
	s     *store.Store
	pages int
}

func (b *book) Stale(n int) {
	var pages int
	b.s.With(func() { pages = b.pages })
	pages = pages*2 + n
	b.s.With(func() { b.pages = pages }) // want `lost-update: .*pages was read`
}

func (b *book) AtOnce(n int) {
	b.s.With(func() { b.pages = b.pages*2 + n })
}

// Generic types of other packages.
func Increment(v *store.Var[int]) {
	v.Set(v.Get() + 1) // want `lost-update: v\.val was read`
}

// What never changes does not become stale.
func Fill(f *store.Frozen) {
	if n := f.Size(); n > 0 {
		f.Use(n)
	}
}

// A Wrapper has the store as a field, and an interface in between.
type Wrapper struct {
	s *store.Store
}

// Chain: a wrapper's method is known by its summary again.
func (w Wrapper) limit() int     { return w.s.Limit() }
func (w Wrapper) setLimit(n int) { w.s.SetLimit(n) }

// Shared embeds the store.
type Shared struct{ *store.Store }

// Lookup is an interface that the store implements.
type Lookup interface {
	Get(string) *store.Item
	Put(string, *store.Item)
}

var _ Lookup = (*store.Store)(nil)

// Ensure makes two items for callers that meet.
func Ensure(s *store.Store, name string) *store.Item {
	if it := s.Get(name); it != nil {
		return it
	}
	it := &store.Item{Name: name}
	s.Put(name, it) // want `check-then-act: s\.items\[name\] was checked at line \d+, but s\.mu was released when Get returned and another goroutine may change it before this call of Put, which writes it`
	return it
}

func Register(s *store.Store, it *store.Item) bool {
	if s.Has(it.Name) {
		return false
	}
	s.Put(it.Name, it) // want `check-then-act: s\.items\[.*\] was checked`
	return true
}

// Comma has two results.
func Comma(s *store.Store, name string) *store.Item {
	it, ok := s.Find(name)
	if !ok {
		it = new(store.Item)
		s.Put(name, it) // want `check-then-act: s\.items\[name\] was checked`
	}
	return it
}

func First(v *store.Var[*store.Item]) *store.Item {
	it := v.Get()
	if it == nil {
		it = new(store.Item)
		v.Set(it) // want `check-then-act: v\.val was checked`
	}
	return it
}

// Package variables behind functions.
func Default() *store.Item {
	it := store.Default()
	if it == nil {
		it = new(store.Item)
		store.SetDefault(it) // want `check-then-act: .*defaultItem was checked`
	}
	return it
}

func (w Wrapper) Grow() {
	w.s.SetLimit(w.s.Limit() + w.s.Len()) // want `lost-update: w\.s\.limit was read`
}

func (w Wrapper) GrowMore() {
	w.setLimit(w.limit() * 3) // want `lost-update: w\.s\.limit was read`
}

func (s Shared) Claim(it *store.Item) bool {
	if s.Has(it.Name) {
		return false
	}
	s.Put(it.Name, it) // want `check-then-act: .*items\[.*\] was checked`
	return true
}
