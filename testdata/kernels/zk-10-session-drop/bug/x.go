// Package bug keeps one session for every client of a message broker. A
// client that connects again takes its session over.
package bug

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrOffline is returned for clients without a session.
var ErrOffline = errors.New("client is offline")

// Message is what clients get and send.
type Message struct {
	From, To string
	Body     []byte
}

// Transport is a client's connection.
type Transport interface {
	Recv() (Message, error)
	Send(Message) error
	io.Closer
}

type session struct {
	client string
	conn   Transport
	sendMu sync.Mutex
}

func (s *session) send(m Message) error {
	s.sendMu.Lock()
	defer s.sendMu.Unlock()
	return s.conn.Send(m)
}

// Hub holds the sessions. The zero Hub is ready for use.
type Hub struct {
	sessions sync.Map // client -> *session
	online   atomic.Int64
	relayed  atomic.Uint64
}

// Serve runs the session of a client until its connection breaks.
func (h *Hub) Serve(client string, conn Transport) error {
	s := &session{client: client, conn: conn}
	if old, taken := h.sessions.Swap(client, s); taken {
		old.(*session).conn.Close()
	} else {
		h.online.Add(1)
	}
	defer func() {
		conn.Close()
		h.leave(s)
	}()
	for {
		m, err := conn.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m.From = client
		if err := h.Publish(m); err != nil && !errors.Is(err, ErrOffline) {
			return err
		}
	}
}

func (h *Hub) find(client string) *session {
	v, ok := h.sessions.Load(client)
	if !ok {
		return nil
	}
	return v.(*session)
}

// leave takes s out unless another connection has taken over.
func (h *Hub) leave(s *session) {
	if h.find(s.client) != s {
		return
	}
	h.sessions.Delete(s.client)
	h.online.Add(-1)
}

// Publish hands a message to the client it is for.
func (h *Hub) Publish(m Message) error {
	s := h.find(m.To)
	if s == nil {
		return ErrOffline
	}
	h.relayed.Add(1)
	return s.send(m)
}

// Relayed returns the number of messages handed on.
func (h *Hub) Relayed() uint64 {
	return h.relayed.Load()
}

// Online returns the number of clients with a session.
func (h *Hub) Online() int {
	return int(h.online.Load())
}

// Kick breaks the connections there are, so that clients connect again.
func (h *Hub) Kick() {
	h.sessions.Range(func(_, v any) bool {
		v.(*session).conn.Close()
		return true
	})
}
