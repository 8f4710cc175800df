// Package presence is about what stays absent, and about versions that are compared afterwards.
package presence

import (
	"errors"
	"sync"
)

var errDoomed = errors.New("doomed")

// Files are deleted when nobody reads them. One goroutine collects them.
type Files struct {
	ids     chan int
	mu      sync.Mutex
	doomed  []int
	readers int
}

func NewFiles() *Files {
	f := &Files{ids: make(chan int)}
	go f.collect()
	return f
}

func (f *Files) collect() {
	for id := range f.ids {
		f.doom(id)
	}
}

// doom adds what is not there, while others only empty the list.
func (f *Files) doom(id int) error {
	f.mu.Lock()
	for _, x := range f.doomed {
		if x == id {
			f.mu.Unlock()
			return errDoomed
		}
	}
	f.mu.Unlock()
	compute()
	f.mu.Lock()
	f.doomed = append(f.doomed, id)
	f.mu.Unlock()
	return nil
}

// Left empties the list.
func (f *Files) Left() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers--
	doomed := f.doomed
	f.doomed = nil
	return doomed
}

// Names are added by whoever likes.
type Names struct {
	mu   sync.Mutex
	list []int
}

func (n *Names) Add(id int) error {
	n.mu.Lock()
	for _, x := range n.list {
		if x == id {
			n.mu.Unlock()
			return errDoomed
		}
	}
	n.mu.Unlock()
	compute()
	n.mu.Lock()
	n.list = append(n.list, id) // want `check-then-act: n\.list was checked at line \d+`
	n.mu.Unlock()
	return nil
}

func compute() {}

// A Store gives tokens to users, and drops them when a user changes.
type Store struct {
	mu       sync.Mutex
	users    map[string]string
	revision int

	tokensMu sync.Mutex
	tokens   map[string]string
}

func NewStore() *Store {
	return &Store{users: make(map[string]string), tokens: make(map[string]string)}
}

func (s *Store) Change(name, password string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[name] = password
	s.revision++
	s.dropTokens(name)
}

func (s *Store) dropTokens(name string) {
	s.tokensMu.Lock()
	defer s.tokensMu.Unlock()
	for t, n := range s.tokens {
		if n == name {
			delete(s.tokens, t)
		}
	}
}

func (s *Store) check(name, password string) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.users[name]
	return s.revision, ok && p == password
}

func (s *Store) version() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

func (s *Store) addToken(token, name string) {
	s.tokensMu.Lock()
	s.tokens[token] = name
	s.tokensMu.Unlock()
}

// Login compares the revision afterwards: who comes in between has changed it.
func (s *Store) Login(name, password, token string) bool {
	rev, ok := s.check(name, password)
	if !ok {
		return false
	}
	s.addToken(token, name)
	if s.version() != rev {
		return false
	}
	return true
}

func (s *Store) LoginOnce(name, password, token string) bool {
	_, ok := s.check(name, password)
	if !ok {
		return false
	}
	s.addToken(token, name) // want `check-then-act: s\.users\[name\] was checked at line \d+`
	return true
}
