package drained

import "sync"

// A Shelf saves what has been changed. A name that is changed while it is saved is changed for good.
type Shelf struct {
	mu    sync.Mutex
	dirty map[string]bool
	data  map[string]int
}

func (s *Shelf) Set(name string, n int) {
	s.mu.Lock()
	s.data[name] = n
	s.dirty[name] = true
	s.mu.Unlock()
}

func (s *Shelf) get(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data[name]
}

func (s *Shelf) pending() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for name := range s.dirty {
		out = append(out, name)
	}
	return out
}

func (s *Shelf) clean(name string) {
	s.mu.Lock()
	delete(s.dirty, name)
	s.mu.Unlock()
}

func (s *Shelf) Flush(save func(string, int) error) {
	for _, name := range s.pending() {
		if save(name, s.get(name)) == nil {
			s.clean(name) // want `s\.dirty.* was checked at line`
		}
	}
}
