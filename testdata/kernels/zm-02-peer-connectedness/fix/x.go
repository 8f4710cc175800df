package fix

import (
	"slices"
	"sync"
)

// Connectedness tells whether we have a connection to a peer.
type Connectedness int

const (
	NotConnected Connectedness = iota
	Connected
)

// Event is sent when the connectedness of a peer changes.
type Event struct {
	Peer  string
	State Connectedness
}

// Listener hears of changes.
type Listener interface {
	Handle(Event)
}

// Conn is one connection to a peer; a peer may have several.
type Conn struct {
	Peer string
	ID   uint64
}

// Swarm keeps the open connections of the node.
type Swarm struct {
	listeners []Listener

	turn sync.Mutex // a change and its event belong together

	mu    sync.RWMutex
	conns map[string][]*Conn
}

func NewSwarm(ls ...Listener) *Swarm {
	return &Swarm{listeners: ls, conns: make(map[string][]*Conn)}
}

func (s *Swarm) emit(peer string, st Connectedness) {
	for _, l := range s.listeners {
		l.Handle(Event{Peer: peer, State: st})
	}
}

// AddConn is called by the listener and the dialer for each new connection.
func (s *Swarm) AddConn(c *Conn) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if n := s.link(c); n == 1 {
		s.emit(c.Peer, Connected)
	}
}

// RemoveConn is called by the read loop of a connection when it ends.
func (s *Swarm) RemoveConn(c *Conn) {
	s.turn.Lock()
	defer s.turn.Unlock()
	n, found := s.unlink(c)
	if found && n == 0 {
		s.emit(c.Peer, NotConnected)
	}
}

func (s *Swarm) link(c *Conn) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c.Peer] = append(s.conns[c.Peer], c)
	return len(s.conns[c.Peer])
}

func (s *Swarm) unlink(c *Conn) (left int, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.conns[c.Peer]
	i := slices.Index(list, c)
	if i < 0 {
		return len(list), false
	}
	list = slices.Delete(list, i, i+1)
	if len(list) == 0 {
		delete(s.conns, c.Peer)
		return 0, true
	}
	s.conns[c.Peer] = list
	return len(list), true
}

// ConnsTo returns the connections to a peer.
func (s *Swarm) ConnsTo(peer string) []*Conn {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.conns[peer])
}

// Routing is the table of peers that queries may be sent to.
type Routing struct {
	mu    sync.Mutex
	alive map[string]bool
}

func NewRouting() *Routing {
	return &Routing{alive: make(map[string]bool)}
}

func (r *Routing) Handle(ev Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ev.State == Connected {
		r.alive[ev.Peer] = true
	} else {
		delete(r.alive, ev.Peer)
	}
}

// Candidates returns up to n peers to ask.
func (r *Routing) Candidates(n int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]string, 0, n)
	for p := range r.alive {
		if len(out) == n {
			break
		}
		out = append(out, p)
	}
	return out
}
