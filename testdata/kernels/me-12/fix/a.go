package a

import (
	"errors"
	"sync"
)

// ErrNoServer is returned when there is no server to hold a region.
var ErrNoServer = errors.New("master: no such server")

type server struct {
	name string

	mu      sync.Mutex
	regions map[string]uint64
	opened  uint64
}

func (s *server) holds(region string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.regions[region]
	return ok
}

func (s *server) load() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.regions)
}

func (s *server) assign(region string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	s.regions[region] = s.opened
}

func (s *server) unassign(region string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.regions[region]
	delete(s.regions, region)
	return ok
}

// Master spreads regions over servers.
type Master struct {
	balance sync.Mutex // held while regions change their server

	mu      sync.RWMutex
	servers []*server
}

// AddServer brings a server into the cluster.
func (m *Master) AddServer(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers = append(m.servers, &server{name: name, regions: make(map[string]uint64)})
}

// Locate returns the server that holds the region. A region that is not held
// yet goes to the server with the least load.
func (m *Master) Locate(region string) (string, error) {
	m.balance.Lock()
	defer m.balance.Unlock()
	var target *server
	for _, s := range m.online() {
		if s.holds(region) {
			return s.name, nil
		}
		if target == nil || s.load() < target.load() {
			target = s
		}
	}
	if target == nil {
		return "", ErrNoServer
	}
	target.assign(region)
	return target.name, nil
}

// Move brings a region to the named server.
func (m *Master) Move(region, to string) error {
	m.balance.Lock()
	defer m.balance.Unlock()
	dst := m.byName(to)
	if dst == nil {
		return ErrNoServer
	}
	for _, s := range m.online() {
		if s != dst && s.unassign(region) {
			dst.assign(region)
			return nil
		}
	}
	return nil
}

// Load reports the number of regions on each server.
func (m *Master) Load() map[string]int {
	m.balance.Lock()
	defer m.balance.Unlock()
	out := make(map[string]int)
	for _, s := range m.online() {
		out[s.name] = s.load()
	}
	return out
}

func (m *Master) byName(name string) *server {
	for _, s := range m.online() {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (m *Master) online() []*server {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.servers[:len(m.servers):len(m.servers)]
}
