package idiom1378

import (
	"net"
	"sync"
	"time"
)

type peerConn struct {
	id   string
	conn net.Conn
}

type model struct {
	mut   sync.RWMutex
	conns map[string]net.Conn
}

func (m *model) ConnectedTo(id string) bool {
	m.mut.RLock()
	defer m.mut.RUnlock()
	_, ok := m.conns[id]
	return ok
}

func (m *model) addConnection(id string, c net.Conn) {
	m.mut.Lock()
	m.conns[id] = c
	m.mut.Unlock()
}

func (m *model) closed(id string, c net.Conn) {
	m.mut.Lock()
	if m.conns[id] == c {
		delete(m.conns, id)
	}
	m.mut.Unlock()
	c.Close()
}

type service struct {
	model *model
	conns chan peerConn
	peers map[string]string // id -> address, not changed after Start
}

// Start runs the service. All connections, dialled or accepted, go through
// one goroutine.
func Start(l net.Listener, identify func(net.Conn) string, peers map[string]string) *model {
	s := &service{
		model: &model{conns: make(map[string]net.Conn)},
		conns: make(chan peerConn),
		peers: peers,
	}
	go s.accept(l, identify)
	go s.dial()
	go s.handle()
	return s.model
}

func (s *service) accept(l net.Listener, identify func(net.Conn) string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.conns <- peerConn{identify(c), c}
	}
}

func (s *service) dial() {
	for {
		for id, addr := range s.peers {
			if s.model.ConnectedTo(id) {
				continue
			}
			c, err := net.DialTimeout("tcp", addr, 10*time.Second)
			if err != nil {
				continue
			}
			s.conns <- peerConn{id, c}
		}
		time.Sleep(time.Minute)
	}
}

func (s *service) handle() {
	for pc := range s.conns {
		if s.model.ConnectedTo(pc.id) {
			pc.conn.Close()
			continue
		}
		s.model.addConnection(pc.id, pc.conn)
		go s.read(pc)
	}
}

func (s *service) read(pc peerConn) {
	defer s.model.closed(pc.id, pc.conn)
	buf := make([]byte, 1024)
	for {
		if _, err := pc.conn.Read(buf); err != nil {
			return
		}
	}
}
