package counted

import "sync"

type flow struct {
	mu    sync.Mutex
	lines []string
	gone  bool
	uses  int
}

func (f *flow) push(line string, most int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.lines) >= most {
		return false
	}
	f.lines = append(f.lines, line)
	return true
}

func (f *flow) pushIfThere(line string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return false
	}
	f.lines = append(f.lines, line)
	return true
}

// Streams are forgotten when they have no lines.
type Streams struct {
	mu     sync.RWMutex
	byName map[string]*flow
}

func (s *Streams) find(name string) *flow {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.byName[name]
	if f == nil {
		f = new(flow)
		s.byName[name] = f
	}
	return f
}

// Push appends to a list that may have been forgotten since it was found, however long it is.
func (s *Streams) Push(name, line string) bool {
	return s.find(name).push(line, 100) // want `s.byName\[name\] was found at line \d+; \(\*Streams\).Sweep .* as flow.lines says that it is not needed`
}

// PushAgain looks for another one if it has been forgotten.
func (s *Streams) PushAgain(name, line string) {
	for !s.find(name).pushIfThere(line) {
	}
}

// PushPinned counts itself in the section in which it finds the list.
func (s *Streams) PushPinned(name, line string) bool {
	s.mu.Lock()
	f := s.byName[name]
	if f == nil {
		s.mu.Unlock()
		return false
	}
	f.uses++
	s.mu.Unlock()
	return f.push(line, 100)
}

func (s *Streams) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, f := range s.byName {
		f.mu.Lock()
		if len(f.lines) == 0 && f.uses == 0 {
			f.gone = true
			delete(s.byName, name)
		}
		f.mu.Unlock()
	}
}
