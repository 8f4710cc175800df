// Package relay forwards packets between nodes that cannot reach each other.
package relay

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// NodeID is the public key of a node.
type NodeID [32]byte

var (
	ErrUnknown = errors.New("relay: node is not connected")
	ErrGone    = errors.New("relay: session has ended")
)

// Packet is one relayed datagram.
type Packet struct {
	From, To NodeID
	Payload  []byte
}

// Conn is a framed connection to a node. Close unblocks Read and Write.
type Conn interface {
	Read() (Packet, error)
	Write(Packet) error
	io.Closer
}

type session struct {
	id    NodeID
	conn  Conn
	queue chan Packet
	gone  chan struct{}
	once  sync.Once
}

func (s *session) close() {
	s.once.Do(func() {
		close(s.gone)
		s.conn.Close()
	})
}

func (s *session) writer() {
	for {
		select {
		case p := <-s.queue:
			if err := s.conn.Write(p); err != nil {
				s.close()
				return
			}
		case <-s.gone:
			return
		}
	}
}

// Server relays between sessions.
type Server struct {
	dropped atomic.Int64

	mu       sync.RWMutex
	sessions map[NodeID]*session
}

// NewServer returns a server without sessions.
func NewServer() *Server {
	return &Server{sessions: make(map[NodeID]*session)}
}

// register makes s the session of its node and returns the one before it.
func (r *Server) register(s *session) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.sessions[s.id]
	r.sessions[s.id] = s
	return old
}

func (r *Server) unregister(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sessions[s.id] == s {
		delete(r.sessions, s.id)
	}
}

// Serve runs the session of a node until its connection ends.
func (r *Server) Serve(id NodeID, conn Conn) error {
	s := &session{id: id, conn: conn, queue: make(chan Packet, 64), gone: make(chan struct{})}
	if old := r.register(s); old != nil {
		old.close()
	}
	defer s.close()
	defer r.unregister(s)
	go s.writer()
	for {
		p, err := conn.Read()
		if err != nil {
			return err
		}
		p.From = id
		if r.Forward(p) != nil {
			r.dropped.Add(1)
		}
	}
}

// Forward queues a packet for its destination. It never blocks, packets may
// be lost as on any network.
func (r *Server) Forward(p Packet) error {
	r.mu.RLock()
	s := r.sessions[p.To]
	r.mu.RUnlock()
	if s == nil {
		return ErrUnknown
	}
	select {
	case <-s.gone:
		return ErrGone
	default:
	}
	select {
	case s.queue <- p:
		return nil
	default:
		return errors.New("relay: queue is full")
	}
}

// Connected reports whether a node has a session.
func (r *Server) Connected(id NodeID) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.sessions[id] != nil
}

// Dropped returns how many packets could not be queued.
func (r *Server) Dropped() int64 { return r.dropped.Load() }
