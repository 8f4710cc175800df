// Package gameserver admits players to a match server.
package gameserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

var (
	// ErrSealed is returned by Configure after Start.
	ErrSealed = errors.New("gameserver: already started")
	// ErrNotStarted is returned for players that come too early.
	ErrNotStarted = errors.New("gameserver: not started")
	// ErrFull is returned when a team has no room.
	ErrFull = errors.New("gameserver: team full")
)

// Limits of a match.
type Limits struct {
	PerTeam   int
	Handshake time.Duration
}

type settings struct {
	mu     sync.RWMutex
	limits Limits
	sealed bool
}

func (s *settings) set(l Limits) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return ErrSealed
	}
	s.limits = l
	return nil
}

func (s *settings) seal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return ErrSealed
	}
	s.sealed = true
	return nil
}

// get returns the limits once they are sealed.
func (s *settings) get() (Limits, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.limits, s.sealed
}

// Server is one match.
type Server struct {
	cfg settings

	mu    sync.Mutex
	teams map[string]map[string]net.Conn
}

// New returns a server with default limits.
func New() *Server {
	s := &Server{teams: make(map[string]map[string]net.Conn)}
	s.cfg.limits = Limits{PerTeam: 5, Handshake: 3 * time.Second}
	return s
}

// Configure changes the limits before the start.
func (s *Server) Configure(l Limits) error {
	if l.PerTeam <= 0 || l.Handshake <= 0 {
		return fmt.Errorf("gameserver: bad limits %+v", l)
	}
	return s.cfg.set(l)
}

// Start seals the limits and accepts players until the listener fails or ctx ends.
func (s *Server) Start(ctx context.Context, ln net.Listener, hello func(net.Conn) (team, player string, err error)) error {
	if err := s.cfg.seal(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			if err := s.admit(conn, hello); err != nil {
				fmt.Fprintf(conn, "ERR %v\n", err)
				conn.Close()
			}
		}()
	}
}

func (s *Server) admit(conn net.Conn, hello func(net.Conn) (string, string, error)) error {
	lim, ok := s.cfg.get()
	if !ok {
		return ErrNotStarted
	}
	if err := conn.SetDeadline(time.Now().Add(lim.Handshake)); err != nil {
		return err
	}
	team, player, err := hello(conn)
	if err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	members := s.teams[team]
	if members == nil {
		members = make(map[string]net.Conn)
		s.teams[team] = members
	}
	if _, back := members[player]; !back && len(members) >= lim.PerTeam {
		return fmt.Errorf("%w: %s", ErrFull, team)
	}
	if old := members[player]; old != nil {
		old.Close()
	}
	members[player] = conn
	return nil
}

// Players counts the members of a team.
func (s *Server) Players(team string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.teams[team])
}
