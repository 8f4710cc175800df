// Package gateway keeps the connections of the users of a messaging service.
// A user has one session: to sign in again ends the session before.
package gateway

import (
	"errors"
	"log"
	"net"
	"sync"
	"time"
)

var (
	ErrOffline = errors.New("gateway: user is offline")
	ErrSlow    = errors.New("gateway: user does not keep up")
)

// Session is a signed-in connection.
type Session struct {
	User string
	conn net.Conn

	mu     sync.Mutex
	outbox [][]byte
	closed bool
	wake   chan struct{} // capacity 1: the outbox or closed has changed
}

func newSession(user string, conn net.Conn) *Session {
	return &Session{User: user, conn: conn, wake: make(chan struct{}, 1)}
}

// enqueue adds a message to the outbox.
func (s *Session) enqueue(msg []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrOffline
	}
	if len(s.outbox) >= 256 {
		return ErrSlow
	}
	s.outbox = append(s.outbox, msg)
	s.signal()
	return nil
}

// close ends the session. It may be called more than once.
func (s *Session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.outbox = nil
	s.signal()
}

func (s *Session) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next takes everything out of the outbox.
func (s *Session) next() (msgs [][]byte, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	msgs, s.outbox = s.outbox, nil
	return msgs, s.closed
}

// pump writes messages to the connection until the session is closed or the
// connection fails.
func (s *Session) pump() error {
	for range s.wake {
		msgs, closed := s.next()
		for _, msg := range msgs {
			_ = s.conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if _, err := s.conn.Write(msg); err != nil {
				return err
			}
		}
		if closed {
			return nil
		}
	}
	return nil
}

// Gateway is safe for concurrent use.
type Gateway struct {
	sessions sync.Map // user -> *Session
}

// Serve runs the session of a user who has signed in on conn, until the
// connection fails or the user signs in elsewhere.
func (g *Gateway) Serve(user string, conn net.Conn) {
	defer conn.Close()
	s := newSession(user, conn)
	if old, ok := g.sessions.Swap(user, s); ok {
		old.(*Session).close()
	}
	defer g.end(s)
	go s.drainInput()
	if err := s.pump(); err != nil {
		log.Printf("gateway: %s: %v", user, err)
	}
}

// end closes a session and forgets it, if it is still the one of its user.
func (g *Gateway) end(s *Session) {
	s.close()
	g.sessions.CompareAndDelete(s.User, s)
}

// drainInput discards what the client sends and ends the session when the
// client hangs up.
func (s *Session) drainInput() {
	buf := make([]byte, 512)
	for {
		if _, err := s.conn.Read(buf); err != nil {
			s.close()
			return
		}
	}
}

// Send passes a message to a user. A message that is accepted may still be
// lost if the connection ends before it is written.
func (g *Gateway) Send(user string, msg []byte) error {
	for {
		v, ok := g.sessions.Load(user)
		if !ok {
			return ErrOffline
		}
		s := v.(*Session)
		err := s.enqueue(msg)
		if !errors.Is(err, ErrOffline) {
			return err
		}
		if !g.replaced(s) {
			return ErrOffline
		}
	}
}

// replaced reports whether the user of s has another session by now.
func (g *Gateway) replaced(s *Session) bool {
	v, ok := g.sessions.Load(s.User)
	return ok && v.(*Session) != s
}

// Kick ends the session of a user. It reports whether there was one.
func (g *Gateway) Kick(user string) bool {
	v, ok := g.sessions.LoadAndDelete(user)
	if ok {
		v.(*Session).close()
	}
	return ok
}

// Online returns the number of sessions.
func (g *Gateway) Online() int {
	n := 0
	g.sessions.Range(func(_, _ any) bool { n++; return true })
	return n
}
