package lesslook

import "sync"

// Streams have names, and topics that no two of them may have.
type Streams struct {
	mu    sync.RWMutex
	names map[string]*Stream
}

type Stream struct {
	name   string
	topics []string
}

type Config struct {
	Name   string
	Topics []string
}

// Add looks at the names in one section, and only at the topics in the next one.
func (s *Streams) Add(c Config) bool {
	s.mu.RLock()
	_, ok := s.names[c.Name]
	s.mu.RUnlock()
	if ok || len(c.Topics) == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.overlaps(c.Topics) {
		return false
	}
	s.names[c.Name] = &Stream{c.Name, c.Topics} // want `check-then-act: s.names\[c.Name\] was checked at line`
	return true
}

func (s *Streams) overlaps(topics []string) bool {
	for _, old := range s.names {
		for _, t := range old.topics {
			for _, n := range topics {
				if t == n {
					return true
				}
			}
		}
	}
	return false
}

// AddNamed looks at the names again, one by one.
func (s *Streams) AddNamed(c Config) bool {
	s.mu.RLock()
	_, ok := s.names[c.Name]
	s.mu.RUnlock()
	if ok || len(c.Topics) == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasName(c.Name) {
		return false
	}
	s.names[c.Name] = &Stream{c.Name, c.Topics}
	return true
}

func (s *Streams) hasName(name string) bool {
	for _, old := range s.names {
		if old.name == name {
			return true
		}
	}
	return false
}

// AddNew gives the new stream, with its name, to the second look.
func (s *Streams) AddNew(name string, topics []string) bool {
	s.mu.RLock()
	_, ok := s.names[name]
	s.mu.RUnlock()
	if ok {
		return false
	}
	one := &Stream{name, topics}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conflicts(one) {
		return false
	}
	s.names[name] = one
	return true
}

func (s *Streams) conflicts(one *Stream) bool {
	for _, old := range s.names {
		if old.name == one.name {
			return true
		}
	}
	return false
}

// AddUnless gives a function to the second look that knows the name.
func (s *Streams) AddUnless(name string) bool {
	s.mu.RLock()
	_, ok := s.names[name]
	s.mu.RUnlock()
	if ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.any(func(old *Stream) bool { return old.name == name }) {
		return false
	}
	s.names[name] = &Stream{name: name}
	return true
}

func (s *Streams) any(is func(*Stream) bool) bool {
	for _, old := range s.names {
		if is(old) {
			return true
		}
	}
	return false
}

func (s *Streams) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.names, name)
}
