package store

// Same package: the accessors are used as others use them.

func EnsureAtOnce(s *Store, name string) *Item {
	if it := s.Get(name); it != nil {
		return it
	}
	it, _ := s.PutIfAbsent(name, &Item{Name: name})
	return it
}

func RegisterAtOnce(s *Store, it *Item) bool {
	if s.Has(it.Name) {
		return false
	}
	_, ok := s.PutIfAbsent(it.Name, it)
	return ok
}

// RegisterOther puts another key than it has looked for.
func RegisterOther(s *Store, name, alias string) {
	if it, ok := s.Find(name); ok {
		s.Put(alias, it)
	}
}

func Double(s *Store) {
	s.SetLimit(s.Limit() * 2) // want `lost-update: s\.limit was read at line \d+, but s\.mu was released when Limit returned and an update by another goroutine is lost by this call of SetLimit`
}

func DoubleAtOnce(s *Store) {
	s.Update(func(n int) int { return n * 2 })
}

// Move takes from one store what it puts into another.
func Move(dst, src *Store, name string) {
	if it := src.Take(name); it != nil {
		dst.Put(name, it)
	}
}

// Ensure makes two items for callers that meet.
func Ensure(s *Store, name string) *Item {
	if it := s.Get(name); it != nil {
		return it
	}
	it := &Item{Name: name}
	s.Put(name, it) // want `check-then-act: s\.items\[name\] was checked at line \d+, but s\.mu was released when Get returned and another goroutine may change it before this call of Put, which writes it`
	return it
}

func Register(s *Store, it *Item) bool {
	if s.Has(it.Name) {
		return false
	}
	s.Put(it.Name, it) // want `check-then-act: s\.items\[.*\] was checked`
	return true
}
