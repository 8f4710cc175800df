package writes

import "sync"

// Sandboxes are entered when they are asked for, and finished when they have booted.
type sandboxes struct {
	mu    sync.Mutex
	slots map[string]*slot
	count int
}

type slot struct {
	vm   *machine
	port int
}

type machine struct{ addr string }

func (s *sandboxes) claim(name string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[name] != nil {
		return nil
	}
	one := &slot{}
	s.slots[name] = one
	return one
}

// Launch finishes what it has entered: who finds it before is told so.
func (s *sandboxes) Launch(name string, boot func() *machine) {
	one := s.claim(name)
	if one == nil {
		return
	}
	vm := boot()
	s.mu.Lock()
	one.vm = vm
	s.mu.Unlock()
}

func (s *sandboxes) addr(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.slots[name]
	if !ok || one.vm == nil {
		return ""
	}
	return one.vm.addr
}

// Members have a mark, and one that has none may go in.
type members struct {
	mu  sync.Mutex
	all map[string]*member
}

type member struct{ banned bool }

func (m *members) claim(name string) *member {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[name] != nil {
		return nil
	}
	one := &member{}
	m.all[name] = one
	return one
}

func (m *members) Import(name string, banned bool) {
	one := m.claim(name)
	if one == nil {
		return
	}
	m.mu.Lock()
	one.banned = banned // want `split-write: m.all\[name\] at line \d+ and m.all\[.*\].banned here are written apart`
	m.mu.Unlock()
}

func (m *members) admits(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, ok := m.all[name]
	return ok && !one.banned
}
