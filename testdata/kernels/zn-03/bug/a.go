package a

import (
	"errors"
	"net/netip"
	"sync"
	"time"
)

var ErrExhausted = errors.New("dhcp: no free address")

type lease struct {
	mac     string
	expires time.Time
}

type leaseStore interface {
	lookup(ip netip.Addr) (lease, bool)
	assign(ip netip.Addr, l lease) bool
	drop(ip netip.Addr, mac string)
}

type memStore struct {
	mu     sync.RWMutex
	leases map[netip.Addr]lease
}

func (m *memStore) lookup(ip netip.Addr) (lease, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, ok := m.leases[ip]
	if !ok || time.Now().After(l.expires) {
		return lease{}, false
	}
	return l, true
}

func (m *memStore) assign(ip netip.Addr, l lease) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases[ip] = l
	return true
}

func (m *memStore) drop(ip netip.Addr, mac string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l, ok := m.leases[ip]; ok && l.mac == mac {
		delete(m.leases, ip)
	}
}

// Scope is one subnet that is served.
type Scope struct {
	store leaseStore
	first netip.Addr
	size  int
	ttl   time.Duration
}

func NewScope(first netip.Addr, size int, ttl time.Duration) *Scope {
	return &Scope{
		store: &memStore{leases: make(map[netip.Addr]lease)},
		first: first,
		size:  size,
		ttl:   ttl,
	}
}

// Offer finds an address for the client.
func (s *Scope) Offer(mac string) (netip.Addr, error) {
	ip := s.first
	for range s.size {
		if _, taken := s.store.lookup(ip); taken {
			ip = ip.Next()
			continue
		}
		if s.store.assign(ip, lease{mac: mac, expires: time.Now().Add(s.ttl)}) {
			return ip, nil
		}
		ip = ip.Next()
	}
	return netip.Addr{}, ErrExhausted
}

// Release gives an address back.
func (s *Scope) Release(ip netip.Addr, mac string) {
	s.store.drop(ip, mac)
}

// Owner tells which client has the address.
func (s *Scope) Owner(ip netip.Addr) string {
	l, ok := s.store.lookup(ip)
	if !ok {
		return ""
	}
	return l.mac
}
