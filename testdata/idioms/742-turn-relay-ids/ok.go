// Package relay keeps the allocations of a TURN server for game clients.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ErrGone is returned for an allocation that was dropped.
var ErrGone = errors.New("relay: allocation is gone")

// ID of an allocation.
type ID uint64

// allocation is a UDP port that is lent to a client.
type allocation struct {
	id     ID
	client string
	pc     net.PacketConn
	used   atomic.Int64
}

func (a *allocation) send(peer net.Addr, p []byte) error {
	_, err := a.pc.WriteTo(p, peer)
	return err
}

// Server owns the allocations. Handles in the hands of clients are ids.
type Server struct {
	listen func() (net.PacketConn, error)
	idle   time.Duration
	log    *slog.Logger
	last   atomic.Uint64

	mu    sync.RWMutex
	byID  map[ID]*allocation
	total int
}

// NewServer returns a server that gets its ports from listen.
func NewServer(listen func() (net.PacketConn, error), idle time.Duration, log *slog.Logger) *Server {
	return &Server{listen: listen, idle: idle, log: log, byID: make(map[ID]*allocation)}
}

// Allocate lends a port.
func (s *Server) Allocate(client string) (ID, net.Addr, error) {
	pc, err := s.listen()
	if err != nil {
		return 0, nil, fmt.Errorf("relay: port for %s: %w", client, err)
	}
	a := &allocation{id: ID(s.last.Add(1)), client: client, pc: pc}
	a.used.Store(time.Now().UnixNano())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[a.id] = a
	s.total++
	return a.id, pc.LocalAddr(), nil
}

// get finds an allocation and marks it as used.
func (s *Server) get(id ID) (*allocation, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	a, ok := s.byID[id]
	if ok {
		a.used.Store(time.Now().UnixNano())
	}
	return a, ok
}

// Send relays a packet; an allocation whose socket fails is dropped.
func (s *Server) Send(id ID, peer net.Addr, p []byte) error {
	a, ok := s.get(id)
	if !ok {
		return ErrGone
	}
	if err := a.send(peer, p); err != nil {
		s.log.Warn("relay failed", "client", a.client, "err", err)
		s.drop(id)
		return fmt.Errorf("%w: %v", ErrGone, err)
	}
	return nil
}

// Release gives a port back.
func (s *Server) Release(id ID) { s.drop(id) }

func (s *Server) drop(id ID) {
	s.mu.Lock()
	a, ok := s.byID[id]
	delete(s.byID, id)
	s.mu.Unlock()
	if ok {
		_ = a.pc.Close()
	}
}

// Run drops idle allocations until ctx is done.
func (s *Server) Run(ctx context.Context) {
	tick := time.NewTicker(s.idle / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			limit := now.Add(-s.idle).UnixNano()
			s.mu.Lock()
			for id, a := range s.byID {
				if a.used.Load() < limit {
					delete(s.byID, id)
					_ = a.pc.Close()
				}
			}
			s.mu.Unlock()
		}
	}
}
