// Package beacon is the shore end of the data links to navigation buoys. A
// buoy has one session at a time; when its link breaks it dials in again,
// often before the shore has noticed.
package beacon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Errors of commands and sessions.
var (
	ErrAway   = errors.New("beacon: buoy is not connected")
	ErrHello  = errors.New("beacon: bad greeting")
	ErrClosed = errors.New("beacon: server closed")
)

// session is one link to a buoy.
type session struct {
	buoy string
	conn net.Conn
	in   *bufio.Scanner

	wmu sync.Mutex // one command at a time on the link
}

func (s *session) write(line string) error {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	_, err := fmt.Fprintf(s.conn, "%s\n", line)
	return err
}

// Report is a line a buoy has sent.
type Report struct {
	Buoy string
	Text string
}

// Server holds the sessions. It is safe for concurrent use.
type Server struct {
	report func(Report) // safe for concurrent use

	mu       sync.Mutex
	closed   bool
	sessions map[string]*session // by buoy
}

// NewServer returns a server that passes reports to the function.
func NewServer(report func(Report)) *Server {
	return &Server{report: report, sessions: make(map[string]*session)}
}

// Serve accepts links until the listener is closed.
func (s *Server) Serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go s.handle(c)
	}
}

// handle runs a session from the greeting to the end of the link.
func (s *Server) handle(c net.Conn) error {
	defer c.Close()
	in := bufio.NewScanner(c)
	if !in.Scan() {
		return in.Err()
	}
	buoy, ok := strings.CutPrefix(in.Text(), "HELLO ")
	if !ok || buoy == "" {
		return ErrHello
	}
	ses := &session{buoy: buoy, conn: c, in: in}
	if err := s.attach(ses); err != nil {
		return err
	}
	defer s.detach(ses)
	for in.Scan() {
		s.report(Report{Buoy: buoy, Text: in.Text()})
	}
	return in.Err()
}

// attach makes a session the one of its buoy. An older one is cut off.
func (s *Server) attach(ses *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if old := s.sessions[ses.buoy]; old != nil {
		old.conn.Close()
	}
	s.sessions[ses.buoy] = ses
	return nil
}

// detach takes a session off unless another has come in its place.
func (s *Server) detach(ses *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[ses.buoy] == ses {
		delete(s.sessions, ses.buoy)
	}
}

// lookup returns the session of a buoy.
func (s *Server) lookup(buoy string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses, ok := s.sessions[buoy]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrAway, buoy)
	}
	return ses, nil
}

// Command sends a command to a buoy. A link that turns out to be dead is
// closed, and the caller may try again when the buoy has dialled in. Commands
// are not confirmed; a nil error only says that the line has been sent.
func (s *Server) Command(buoy, line string) error {
	ses, err := s.lookup(buoy)
	if err != nil {
		return err
	}
	if err := ses.write(line); err != nil {
		s.detach(ses)
		ses.conn.Close()
		return fmt.Errorf("%w: %s: %w", ErrAway, buoy, err)
	}
	return nil
}

// Broadcast sends a command to all connected buoys and returns the names of
// those that could not be reached.
func (s *Server) Broadcast(ctx context.Context, line string) (missed []string) {
	for _, buoy := range s.Connected() {
		if ctx.Err() != nil || s.Command(buoy, line) != nil {
			missed = append(missed, buoy)
		}
	}
	return missed
}

// Connected returns the buoys that have a session.
func (s *Server) Connected() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.sessions))
	for b := range s.sessions {
		names = append(names, b)
	}
	return names
}

// Close cuts all sessions off and refuses new ones.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, ses := range s.sessions {
		ses.conn.Close()
	}
}
