package weird

import "sync"

// An entry is made with its own field.
type entry struct{ id, next int }

type entries struct {
	mu sync.Mutex
	m  map[int]int
}

func (s *entries) itself() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &entry{}
	e.id = e.id
	f := &entry{next: 1}
	f.next = f.id
	f.id = f.next
	keep(e, f)
	return s.m[e.id] + s.m[f.id] + s.m[f.next]
}

func (s *entries) again(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &entry{id: n}
	for range n {
		e.next = e.next + 1
		s.m[e.next]++
		keep(e)
	}
}

var kept []*entry

func keep(list ...*entry) { kept = append(kept, list...) }
