// Package broker delivers messages to connected clients by client id.
package broker

import (
	"errors"
	"sync"
)

var (
	ErrNotConnected = errors.New("broker: client not connected")
	ErrSlowConsumer = errors.New("broker: slow consumer")
)

// Packet is one message on the wire.
type Packet struct {
	ClientID string
	Topic    string
	Payload  []byte
}

// Transport is a connection. Close makes a running ReadPacket return an error.
type Transport interface {
	ReadPacket() (Packet, error)
	WritePacket(Packet) error
	Close() error
}

type session struct {
	id   string
	tr   Transport
	out  chan Packet
	done chan struct{}
	once sync.Once
}

func newSession(id string, tr Transport) *session {
	return &session{id: id, tr: tr, out: make(chan Packet, 64), done: make(chan struct{})}
}

func (s *session) close() {
	s.once.Do(func() {
		close(s.done)
		s.tr.Close()
	})
}

func (s *session) writeLoop() {
	for {
		select {
		case p := <-s.out:
			if err := s.tr.WritePacket(p); err != nil {
				s.close()
				return
			}
		case <-s.done:
			return
		}
	}
}

// Handler gets the packets that clients publish.
type Handler func(Packet)

// Broker knows the live session of every client.
type Broker struct {
	handler Handler

	mu       sync.RWMutex
	sessions map[string]*session
}

// New returns a broker without clients.
func New(h Handler) *Broker {
	return &Broker{handler: h, sessions: make(map[string]*session)}
}

// attach makes s the session of its client. A client has one session at most:
// the previous one, usually a dead connection that nobody noticed, is closed.
func (b *Broker) attach(s *session) {
	b.mu.Lock()
	old := b.sessions[s.id]
	b.sessions[s.id] = s
	b.mu.Unlock()
	if old != nil {
		old.close()
	}
}

func (b *Broker) detach(id string) {
	b.mu.Lock()
	delete(b.sessions, id)
	b.mu.Unlock()
}

// Serve runs a connection until it ends. It is called in a goroutine per
// connection, after the handshake gave the client id.
func (b *Broker) Serve(id string, tr Transport) error {
	s := newSession(id, tr)
	b.attach(s)
	defer func() {
		s.close()
		b.detach(id)
	}()
	go s.writeLoop()
	for {
		p, err := tr.ReadPacket()
		if err != nil {
			return err
		}
		p.ClientID = id
		b.handler(p)
	}
}

// Deliver queues a packet for a client, at most once.
func (b *Broker) Deliver(id string, p Packet) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	s, ok := b.sessions[id]
	if !ok {
		return ErrNotConnected
	}
	select {
	case s.out <- p:
		return nil
	default:
		return ErrSlowConsumer
	}
}

// Clients returns the number of connected clients.
func (b *Broker) Clients() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.sessions)
}
