package dhcp

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// Errors of the server.
var (
	ErrNoLease   = errors.New("dhcp: no lease")
	ErrExhausted = errors.New("dhcp: pool exhausted")
)

// HardwareAddr identifies a client.
type HardwareAddr [6]byte

type lease struct {
	ip      netip.Addr
	gen     uint64
	expires time.Time
}

type expiry struct {
	client HardwareAddr
	gen    uint64
}

// Server gives out addresses for a limited time.
type Server struct {
	ttl     time.Duration
	expired chan expiry
	release func(HardwareAddr, netip.Addr)

	mu     sync.Mutex
	gen    uint64
	free   []netip.Addr
	leases map[HardwareAddr]*lease
}

// NewServer serves the addresses of the prefix until ctx is done.
func NewServer(ctx context.Context, prefix netip.Prefix, ttl time.Duration, release func(HardwareAddr, netip.Addr)) *Server {
	s := &Server{
		ttl:     ttl,
		expired: make(chan expiry, 64),
		release: release,
		leases:  make(map[HardwareAddr]*lease),
	}
	for a := prefix.Masked().Addr().Next(); prefix.Contains(a); a = a.Next() {
		s.free = append(s.free, a)
	}
	go s.scan(ctx)
	go s.reap(ctx)
	return s
}

func (s *Server) nextGenLocked() uint64 {
	s.gen++
	return s.gen
}

// Request grants an address, or renews the one that the client has.
func (s *Server) Request(client HardwareAddr) (netip.Addr, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[client]
	if !ok {
		if len(s.free) == 0 {
			return netip.Addr{}, 0, ErrExhausted
		}
		l = &lease{ip: s.free[0]}
		s.free = s.free[1:]
		s.leases[client] = l
	}
	l.gen = s.nextGenLocked()
	l.expires = time.Now().Add(s.ttl)
	return l.ip, s.ttl, nil
}

// Release ends the lease of a client.
func (s *Server) Release(client HardwareAddr) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[client]
	if !ok {
		return ErrNoLease
	}
	s.dropLocked(client, l)
	return nil
}

func (s *Server) dropLocked(client HardwareAddr, l *lease) {
	delete(s.leases, client)
	s.free = append(s.free, l.ip)
	s.release(client, l.ip)
}

func (s *Server) scan(ctx context.Context) {
	t := time.NewTicker(s.ttl / 10)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			for _, e := range s.due(now) {
				select {
				case s.expired <- e:
				case <-ctx.Done():
					return
				}
			}
		}
	}
}

func (s *Server) due(now time.Time) []expiry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []expiry
	for c, l := range s.leases {
		if now.After(l.expires) {
			out = append(out, expiry{client: c, gen: l.gen})
		}
	}
	return out
}

func (s *Server) reap(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-s.expired:
			s.expire(e)
		}
	}
}

func (s *Server) expire(e expiry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l, ok := s.leases[e.client]; ok && l.gen == e.gen {
		s.dropLocked(e.client, l)
	}
}
