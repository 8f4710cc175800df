// Package ipam hands out addresses of a virtual network. The pools live in a
// shared store, so that every host of the cluster sees the same ones.
package ipam

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

var (
	// ErrConflict is returned for a write that is based on an old revision.
	ErrConflict = errors.New("ipam: revision conflict")
	// ErrExhausted is returned when a pool has no free address.
	ErrExhausted = errors.New("ipam: pool exhausted")
	// ErrNoPool is returned for an unknown pool.
	ErrNoPool = errors.New("ipam: no such pool")
)

// Backend is the shared store. Revision 0 stands for a key that does not exist.
type Backend interface {
	Get(key string) (val []byte, rev int64, err error)
	Put(key string, val []byte) error
	CompareAndPut(key string, val []byte, rev int64) error
}

// LocalBackend is the Backend of a single-host setup.
type LocalBackend struct {
	mu   sync.RWMutex
	vals map[string][]byte
	revs map[string]int64
}

// NewLocalBackend returns an empty store.
func NewLocalBackend() *LocalBackend {
	return &LocalBackend{vals: make(map[string][]byte), revs: make(map[string]int64)}
}

// Get implements Backend.
func (b *LocalBackend) Get(key string) ([]byte, int64, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.vals[key], b.revs[key], nil
}

// Put implements Backend.
func (b *LocalBackend) Put(key string, val []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.vals[key] = val
	b.revs[key]++
	return nil
}

// CompareAndPut implements Backend.
func (b *LocalBackend) CompareAndPut(key string, val []byte, rev int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.revs[key] != rev {
		return ErrConflict
	}
	b.vals[key] = val
	b.revs[key]++
	return nil
}

type pool struct {
	Prefix netip.Prefix          `json:"prefix"`
	Leases map[netip.Addr]string `json:"leases"`
}

// Allocator assigns addresses to endpoints. The network plugin calls it from
// one goroutine per container.
type Allocator struct {
	store Backend
}

// NewAllocator returns an allocator on the store.
func NewAllocator(store Backend) *Allocator { return &Allocator{store: store} }

// CreatePool adds an empty pool.
func (a *Allocator) CreatePool(name string, prefix netip.Prefix) error {
	raw, err := json.Marshal(pool{Prefix: prefix.Masked(), Leases: map[netip.Addr]string{}})
	if err != nil {
		return err
	}
	return a.store.CompareAndPut("pool/"+name, raw, 0)
}

// update changes a pool. The change is made anew as long as others are faster.
func (a *Allocator) update(name string, change func(*pool) error) error {
	for {
		err := a.tryUpdate(name, change)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

func (a *Allocator) tryUpdate(name string, change func(*pool) error) error {
	key := "pool/" + name
	raw, rev, err := a.store.Get(key)
	if err != nil {
		return err
	}
	if rev == 0 {
		return ErrNoPool
	}
	var p pool
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("ipam: pool %s: %w", name, err)
	}
	if err := change(&p); err != nil {
		return err
	}
	if raw, err = json.Marshal(p); err != nil {
		return err
	}
	return a.store.CompareAndPut(key, raw, rev)
}

// Request assigns the lowest free address of the pool to the endpoint.
func (a *Allocator) Request(name, endpoint string) (netip.Addr, error) {
	var got netip.Addr
	err := a.update(name, func(p *pool) error {
		// The first address is the network itself, the second its gateway.
		for ip := p.Prefix.Addr().Next().Next(); p.Prefix.Contains(ip); ip = ip.Next() {
			if _, used := p.Leases[ip]; !used {
				p.Leases[ip] = endpoint
				got = ip
				return nil
			}
		}
		return ErrExhausted
	})
	if err != nil {
		return netip.Addr{}, err
	}
	return got, nil
}

// Release returns the addresses of the endpoint to the pool.
func (a *Allocator) Release(name, endpoint string) error {
	return a.update(name, func(p *pool) error {
		for ip, owner := range p.Leases {
			if owner == endpoint {
				delete(p.Leases, ip)
			}
		}
		return nil
	})
}
