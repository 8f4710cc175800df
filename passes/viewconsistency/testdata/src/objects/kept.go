package objects

import (
	"maps"
	"sync"
)

// A Source counts its changes.
type Source struct {
	mu   sync.Mutex
	rows map[string]string
	last int
	name string
}

func (s *Source) Set(k, v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[k] = v
	s.last++
}

func (s *Source) Rename(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = name
}

func (s *Source) Rows() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.rows)
}

func (s *Source) Last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *Source) Both() (map[string]string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.rows), s.last
}

func (s *Source) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name
}

// A Mirror keeps what it has read.
type Mirror struct {
	rows map[string]string
	last int
	name string
}

func (m *Mirror) Load(s *Source) {
	m.rows = s.Rows()
	m.last = s.Last() // want `split-read: s.rows at line 61 and s.last here are read apart, in separate critical sections, but written together by \(\*Source\).Set`
}

// LoadInOne reads both in one section.
func (m *Mirror) LoadInOne(s *Source) {
	m.rows, m.last = s.Both()
}

// LoadName keeps what has nothing to do with the rows.
func (m *Mirror) LoadName(s *Source) {
	m.rows = s.Rows()
	m.name = s.Name()
}

// LoadTwo keeps them in two objects.
func LoadTwo(s *Source, a, b *Mirror) {
	a.rows = s.Rows()
	b.last = s.Last()
}
