// Package tables has functions that only the initial values of package variables refer to.
package tables

import "sync"

type session struct {
	mu    sync.Mutex
	names map[string]int
	n     int
}

var handlers = map[string]func(s *session, k string, v int){
	"put": func(s *session, k string, v int) {
		s.mu.Lock()
		_, ok := s.names[k]
		s.mu.Unlock()
		if ok {
			return
		}
		s.mu.Lock()
		s.names[k] = v // want `check-then-act: s.names\[k\] was checked`
		s.mu.Unlock()
	},
	"again": func(s *session, k string, v int) {
		s.mu.Lock()
		_, ok := s.names[k]
		s.mu.Unlock()
		if ok {
			return
		}
		s.mu.Lock()
		if _, ok := s.names[k]; !ok {
			s.names[k] = v
		}
		s.mu.Unlock()
	},
	"drop": func(s *session, k string, v int) {
		s.mu.Lock()
		delete(s.names, k)
		s.mu.Unlock()
	},
}

var Bump = func(s *session) {
	s.mu.Lock()
	n := s.n
	s.mu.Unlock()
	s.mu.Lock()
	s.n = n + 1 // want `lost-update: s.n was read`
	s.mu.Unlock()
}

type command struct {
	name string
	run  func(s *session) error
}

var commands = []command{{name: "inc", run: func(s *session) error {
	s.mu.Lock()
	n := s.n
	s.mu.Unlock()
	s.mu.Lock()
	s.n = n + 2 // want `lost-update: s.n was read`
	s.mu.Unlock()
	return nil
}}}

var shared session

func Do(k string, v int) { handlers[k](&shared, k, v) }

func Run(i int) error { return commands[i].run(&shared) }

var sem = make(chan struct{}, 1)
var total int

func Total() int {
	sem <- struct{}{}
	n := total
	<-sem
	sem <- struct{}{}
	total = n + 1 // want `lost-update: total was read`
	<-sem
	return n
}
