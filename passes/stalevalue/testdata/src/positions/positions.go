// Package positions has indices that are used when the list may have changed.
package positions

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

// A Stack gets shorter.
type Stack struct {
	mu   sync.Mutex
	list []string
}

func (s *Stack) Push(x string) {
	s.mu.Lock()
	s.list = append(s.list, x)
	s.mu.Unlock()
}

func (s *Stack) Pop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.list); n > 0 {
		s.list = s.list[:n-1]
	}
}

func (s *Stack) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}

func (s *Stack) at(i int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[i]
}

// get looks at the length.
func (s *Stack) get(i int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.list) {
		return ""
	}
	return s.list[i]
}

func (s *Stack) index(x string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, y := range s.list {
		if x == y {
			return i
		}
	}
	return -1
}

func (s *Stack) removeAt(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list[:i], s.list[i+1:]...)
}

func (s *Stack) Top() string {
	return s.at(s.Len() - 1) // want `check-then-act: s.list was checked at line \d+, but s.mu was released when Len returned and another goroutine may remove or move elements before this call of at, which uses the index`
}

func (s *Stack) TopInline() string {
	s.mu.Lock()
	n := len(s.list)
	s.mu.Unlock()
	if n == 0 {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[n-1] // want `check-then-act: s.list was checked .* before the index is used here`
}

func (s *Stack) TopChecked() string { return s.get(s.Len() - 1) }

// TopAgain compares the index with the list that it is used in.
func (s *Stack) TopAgain() string {
	n := s.Len()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n == 0 || n > len(s.list) {
		return ""
	}
	return s.list[n-1]
}

// TopOnce does it in one section.
func (s *Stack) TopOnce() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.list); n > 0 {
		return s.list[n-1]
	}
	return ""
}

func (s *Stack) All() (out []string) {
	for i := 0; i < s.Len(); i++ {
		out = append(out, s.at(i)) // want `check-then-act: s.list was checked`
	}
	return out
}

func (s *Stack) AllOf() (out []string) {
	for i := range s.Len() {
		out = append(out, s.at(i)) // want `check-then-act: s.list was checked`
	}
	return out
}

// AllChecked gets "" where there is nothing any more.
func (s *Stack) AllChecked() (out []string) {
	for i := range s.Len() {
		out = append(out, s.get(i))
	}
	return out
}

func (s *Stack) Drop(x string) error {
	i := s.index(x)
	if i < 0 {
		return errors.New("none")
	}
	s.removeAt(i) // want `check-then-act: s.list was checked .* before this call of removeAt, which uses the index`
	return nil
}

// First uses an index of its own.
func (s *Stack) First() string {
	if s.Len() == 0 {
		return ""
	}
	return s.get(0)
}

// A Log only gets longer.
type Log struct {
	mu    sync.Mutex
	lines []string
}

func (l *Log) Add(line string) {
	l.mu.Lock()
	l.lines = append(l.lines, line)
	l.mu.Unlock()
}

func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}

func (l *Log) Line(i int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines[i]
}

func (l *Log) Last() string { return l.Line(l.Len() - 1) }

// A Trail is used by one goroutine, which also cuts it.
type trail struct {
	mu    sync.Mutex
	marks []int
}

func (t *trail) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.marks)
}

func (t *trail) mark(i int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks[i]
}

func (t *trail) run() (n int) {
	for range 10 {
		t.mu.Lock()
		t.marks = append(t.marks, n)
		t.mu.Unlock()
		n += t.mark(t.len() - 1)
		if n > 100 {
			t.mu.Lock()
			t.marks = t.marks[:0]
			t.mu.Unlock()
		}
	}
	return n
}

func Start() {
	t := new(trail)
	go t.run()
}

// found is the position of an element that a function of the library looks for.
func (s *Stack) found(prefix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.IndexFunc(s.list, func(x string) bool { return strings.HasPrefix(x, prefix) })
}

// TopFound takes another element: that there is one at the position says nothing.
func (s *Stack) TopFound(prefix string) string {
	return s.get(s.found(prefix)) // want `check-then-act: s.list was checked at line \d+`
}
