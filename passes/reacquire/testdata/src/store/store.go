// Package store has containers that lock by themselves, for package client.
package store

import "sync"

type List[T any] struct {
	mu    sync.RWMutex
	items []T
}

func (l *List[T]) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.items)
}

func (l *List[T]) Get(i int) T {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[i]
}

func (l *List[T]) Add(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, v)
}

func (l *List[T]) Remove(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items[:i], l.items[i+1:]...)
}

func (l *List[T]) Last() (v T, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.items) == 0 {
		return v, false
	}
	return l.items[len(l.items)-1], true
}

// Names is the same without a type parameter.
type Names struct {
	mu    sync.RWMutex
	items []string
}

func (l *Names) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.items)
}

func (l *Names) Get(i int) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[i]
}

func (l *Names) Cut(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = l.items[:n]
}

func (l *Names) Last() (string, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.items) == 0 {
		return "", false
	}
	return l.items[len(l.items)-1], true
}

type Map struct {
	mu sync.Mutex
	m  map[string]int
}

func (m *Map) Get(k string) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.m[k]
	return v, ok
}

func (m *Map) Put(k string, v int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m[k] = v
}

func (m *Map) Delete(k string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.m, k)
}

func (m *Map) Add(k string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m[k] += n
}

// Both says that the two go together.
type Span struct {
	mu       sync.Mutex
	from, to int
}

func (s *Span) From() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from
}

func (s *Span) To() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to
}

func (s *Span) Move(from, to int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from, s.to = from, to
}

func (s *Span) Both() (from, to int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from, s.to
}
