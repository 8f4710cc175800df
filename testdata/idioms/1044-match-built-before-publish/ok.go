// Package matches opens game matches and lets players find them.
package matches

import (
	"errors"
	"sync"
)

// Errors returned by Server.
var (
	ErrExists  = errors.New("matches: match exists")
	ErrUnknown = errors.New("matches: no such match")
	ErrFull    = errors.New("matches: match is full")
)

// Rules of a match.
type Rules struct {
	MaxPlayers int
	Map        string
}

type match struct {
	mu      sync.Mutex
	rules   Rules
	players []string
	spawns  []int
}

func (m *match) setRules(r Rules) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rules = r
}

func (m *match) capacity() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rules.MaxPlayers
}

func (m *match) setSpawns(points []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spawns = points
}

// join seats a player and returns the spawn point.
func (m *match) join(player string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.players)
	if n >= len(m.spawns) {
		return 0, ErrFull
	}
	m.players = append(m.players, player)
	return m.spawns[n], nil
}

// Server holds the open matches.
type Server struct {
	layout func(mapName string, n int) []int

	mu      sync.Mutex
	matches map[string]*match
}

// NewServer returns a server; layout computes the spawn points of a map.
func NewServer(layout func(mapName string, n int) []int) *Server {
	return &Server{layout: layout, matches: make(map[string]*match)}
}

// Open creates a match.
func (s *Server) Open(id string, r Rules) error {
	m := &match{}
	m.setRules(r)
	m.setSpawns(s.layout(r.Map, m.capacity()))

	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.matches[id]; ok {
		return ErrExists
	}
	s.matches[id] = m
	return nil
}

// Join puts a player into a match and returns the spawn point.
func (s *Server) Join(id, player string) (int, error) {
	s.mu.Lock()
	m, ok := s.matches[id]
	s.mu.Unlock()
	if !ok {
		return 0, ErrUnknown
	}
	return m.join(player)
}
