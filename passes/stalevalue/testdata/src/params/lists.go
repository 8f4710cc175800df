package params

import "sync"

// A list is changed by methods that have it by its address.
type list []int

func (l *list) push(x int) { *l = append(*l, x) }

func (l *list) pop() int {
	x := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return x
}

// A Stack has a list of its own.
type Stack struct {
	mu    sync.Mutex
	items list
}

func (s *Stack) Push(x int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.push(x)
}

func (s *Stack) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.items) == 0
}

func (s *Stack) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items.pop()
}

func (s *Stack) Pop() int {
	if s.empty() {
		return 0
	}
	return s.take() // want `s.items was checked at line 41, but s.mu was released when empty returned and another goroutine may change it before this call of take, which writes it`
}

// PopInOne looks and takes in one section.
func (s *Stack) PopInOne() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) == 0 {
		return 0
	}
	return s.items.pop()
}
