// Package ipam hands out the addresses of an overlay subnet.
package ipam

import (
	"errors"
	"math/bits"
	"net/netip"
	"sync"
	"sync/atomic"
)

var (
	ErrExhausted = errors.New("ipam: no free address")
	ErrInUse     = errors.New("ipam: address is in use")
	ErrOutside   = errors.New("ipam: address is not in the subnet")
	ErrNotOwner  = errors.New("ipam: address belongs to another endpoint")
)

// Subnet is an IPv4 subnet with at most 16 host bits.
type Subnet struct {
	prefix netip.Prefix
	size   int
	hint   atomic.Int64

	mu     sync.RWMutex
	words  []uint64
	owners map[int]string
}

// NewSubnet returns a subnet. Network and broadcast address are never given
// out.
func NewSubnet(p netip.Prefix) (*Subnet, error) {
	host := 32 - p.Bits()
	if !p.Addr().Is4() || host < 2 || host > 16 {
		return nil, errors.New("ipam: unsupported prefix " + p.String())
	}
	size := 1 << host
	s := &Subnet{
		prefix: p.Masked(),
		size:   size,
		words:  make([]uint64, (size+63)/64),
		owners: make(map[int]string),
	}
	for i := size; i < len(s.words)*64; i++ {
		s.words[i/64] |= 1 << (i % 64)
	}
	s.words[0] |= 1
	s.words[(size-1)/64] |= 1 << ((size - 1) % 64)
	return s, nil
}

func (s *Subnet) addr(ord int) netip.Addr {
	b := s.prefix.Addr().As4()
	b[2] |= byte(ord >> 8)
	b[3] |= byte(ord)
	return netip.AddrFrom4(b)
}

func (s *Subnet) ordinal(a netip.Addr) (int, bool) {
	if !a.Is4() || !s.prefix.Contains(a) {
		return 0, false
	}
	b := a.As4()
	return (int(b[2])<<8 | int(b[3])) & (s.size - 1), true
}

// scan looks for a clear bit, beginning near the last allocation so that
// addresses are not reused at once.
func (s *Subnet) scan() (int, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := len(s.words)
	start := int(s.hint.Load()) / 64
	for i := range n {
		w := (start + i) % n
		if free := ^s.words[w]; free != 0 {
			return w*64 + bits.TrailingZeros64(free), true
		}
	}
	return 0, false
}

func (s *Subnet) claim(ord int, owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words[ord/64]&(1<<(ord%64)) != 0 {
		return false
	}
	s.words[ord/64] |= 1 << (ord % 64)
	s.owners[ord] = owner
	return true
}

// Allocate gives a free address to an endpoint.
func (s *Subnet) Allocate(owner string) (netip.Addr, error) {
	for {
		ord, ok := s.scan()
		if !ok {
			return netip.Addr{}, ErrExhausted
		}
		if s.claim(ord, owner) {
			s.hint.Store(int64(ord))
			return s.addr(ord), nil
		}
	}
}

// Reserve gives a particular address to an endpoint.
func (s *Subnet) Reserve(a netip.Addr, owner string) error {
	ord, ok := s.ordinal(a)
	if !ok {
		return ErrOutside
	}
	if !s.claim(ord, owner) {
		return ErrInUse
	}
	return nil
}

// Release returns an address.
func (s *Subnet) Release(a netip.Addr, owner string) error {
	ord, ok := s.ordinal(a)
	if !ok {
		return ErrOutside
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.owners[ord]; !ok || o != owner {
		return ErrNotOwner
	}
	delete(s.owners, ord)
	s.words[ord/64] &^= 1 << (ord % 64)
	return nil
}
