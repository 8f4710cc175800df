package filter

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
)

var (
	ErrStarting = errors.New("filter: still starting")
	ErrStopped  = errors.New("filter: stopped")
)

const (
	starting int32 = iota
	serving
	stopped
)

// Filter turns away the addresses on a deny list. Until the list is there it
// answers with an error, which callers take for a no.
type Filter struct {
	phase atomic.Int32

	mu     sync.RWMutex
	denied map[netip.Addr]string
}

func New() *Filter { return &Filter{denied: make(map[netip.Addr]string)} }

// Start loads the deny list, address to reason, and opens the filter.
func (f *Filter) Start(load func() (map[string]string, error)) error {
	list, err := load()
	if err != nil {
		return err
	}
	parsed := make(map[netip.Addr]string, len(list))
	for s, why := range list {
		ip, err := netip.ParseAddr(s)
		if err != nil {
			return err
		}
		parsed[ip.Unmap()] = why
	}
	if !f.phase.CompareAndSwap(starting, serving) {
		return ErrStopped
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for ip, why := range parsed {
		f.denied[ip] = why
	}
	return nil
}

// Deny adds one address.
func (f *Filter) Deny(ip netip.Addr, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.denied[ip.Unmap()] = why
}

// Stop closes the filter for good.
func (f *Filter) Stop() { f.phase.Store(stopped) }

// Allowed tells whether ip may come in.
func (f *Filter) Allowed(ip netip.Addr) (bool, error) {
	switch f.phase.Load() {
	case starting:
		return false, ErrStarting
	case stopped:
		return false, ErrStopped
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	_, hit := f.denied[ip.Unmap()]
	return !hit, nil
}
