package lifetimes

import "sync"

// A Stream ends with its last consumer, and has whoever made it take it out of the table.
type Stream struct {
	name  string
	gone  func(*Stream)
	mu    sync.Mutex
	ended bool
	all   map[int]chan string
}

func newStream(name string, gone func(*Stream)) *Stream {
	return &Stream{name: name, gone: gone, all: make(map[int]chan string)}
}

func (s *Stream) add(id int, to chan string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[id] = to
}

func (s *Stream) addOpen(id int, to chan string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.all[id] = to
	return true
}

func (s *Stream) Remove(id int) {
	s.mu.Lock()
	delete(s.all, id)
	last := len(s.all) == 0
	if last {
		s.ended = true
	}
	s.mu.Unlock()
	if last {
		s.gone(s)
	}
}

type Streams struct {
	mu     sync.Mutex
	byName map[string]*Stream
}

func (t *Streams) Get(name string) *Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byName[name]
	if s == nil {
		s = newStream(name, t.drop)
		t.byName[name] = s
	}
	return s
}

func (t *Streams) drop(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName[s.name] == s {
		delete(t.byName, s.name)
	}
}

func (t *Streams) Subscribe(name string, id int, to chan string) {
	t.Get(name).add(id, to) // want `t.byName\[name\] was found at line 72; \(\*Stream\).Remove \(callback.go:67\) may take it out in between`
}

// SubscribeOpen is right.
func (t *Streams) SubscribeOpen(name string, id int, to chan string) {
	for !t.Get(name).addOpen(id, to) {
	}
}
