// Package instances has goroutines that run once per object, and what their objects share.
package instances

import "sync"

type Server struct {
	mu    sync.Mutex
	users map[string]int
	peak  int
}

type meter struct {
	mu sync.Mutex
	n  int
}

type gauge struct {
	mu sync.Mutex
	n  int
}

type session struct {
	srv   *Server
	own   *meter // made for the session
	total *gauge // that of all sessions

	mu   sync.Mutex
	seen int
}

type Hub struct {
	srv   *Server
	total *gauge
}

// Accept starts a goroutine per session, and many for one server.
func (h *Hub) Accept(user string) {
	x := &session{srv: h.srv, own: &meter{}, total: h.total}
	go x.run(user)
}

func (x *session) run(user string) {
	x.srv.enter(user)

	x.mu.Lock()
	n := x.seen
	x.mu.Unlock()
	x.mu.Lock()
	x.seen = n*2 + 1 // the session is its goroutine's
	x.mu.Unlock()

	x.own.grow()
	x.total.swell()
}

func (s *Server) enter(user string) {
	s.mu.Lock()
	_, known := s.users[user]
	s.mu.Unlock()
	if !known {
		s.mu.Lock()
		s.users[user] = s.peak
		s.peak++ // want `check-then-act: s\.users\[user\] was checked at line \d+`
		s.mu.Unlock()
	}
}

// Each session has a meter of its own.
func (m *meter) grow() {
	m.mu.Lock()
	n := m.n
	m.mu.Unlock()
	m.mu.Lock()
	m.n = n*2 + 1
	m.mu.Unlock()
}

func (m *gauge) swell() {
	m.mu.Lock()
	n := m.n
	m.mu.Unlock()
	m.mu.Lock()
	m.n = n*3 + 1 // want `lost-update: m\.n was read at line \d+`
	m.mu.Unlock()
}

// An Index is looked at through a list that is new, and has what is shared.
type Index struct {
	mu    sync.RWMutex
	lost  map[string]int64
	peers int
}

type Catalog struct{ old, current *Index }

func (c *Catalog) Holds(key string, at int64) bool {
	for _, x := range []*Index{c.old, c.current} {
		if x.holds(key, at) {
			return true
		}
	}
	return false
}

func (x *Index) holds(key string, at int64) bool {
	x.mu.RLock()
	lost, ok := x.lost[key]
	x.mu.RUnlock()
	if ok && lost < at {
		return false
	}
	if at%2 == 0 {
		return true
	}
	x.mu.Lock()
	x.lost[key] = at // want `check-then-act: x\.lost\[key\] was checked at line \d+`
	x.mu.Unlock()
	return false
}

// Open fills indexes that nobody else has.
func Open(keys []string) *Catalog {
	a, b := &Index{lost: make(map[string]int64)}, &Index{lost: make(map[string]int64)}
	for _, x := range []*Index{a, b} {
		x.prepare(keys)
	}
	return &Catalog{a, b}
}

func (x *Index) prepare(keys []string) {
	x.mu.Lock()
	n := x.peers
	x.mu.Unlock()
	x.mu.Lock()
	x.peers = n*2 + len(keys)
	x.mu.Unlock()
}
