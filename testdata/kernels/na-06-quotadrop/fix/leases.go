// Package leases accounts for the memory that tenants have leased on a node.
package leases

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Errors of Reserve.
var (
	ErrLimit  = errors.New("leases: tenant limit reached")
	ErrAmount = errors.New("leases: amount must be positive")
)

type usage struct {
	Bytes  int64     `json:"bytes"`
	Leases int       `json:"leases"`
	Since  time.Time `json:"since"`
}

// Limits tells how many bytes a tenant may hold.
type Limits interface {
	BytesFor(tenant string) int64
}

// Store holds one entry for each tenant that has leases.
type Store struct {
	limits Limits

	mu    sync.RWMutex
	inUse map[string]usage
}

// NewStore returns an empty store.
func NewStore(l Limits) *Store {
	return &Store{limits: l, inUse: make(map[string]usage)}
}

// Lease is a reservation of one tenant; it is given back with Free.
type Lease struct {
	store  *Store
	tenant string
	bytes  int64
	once   sync.Once
}

// Free gives the lease back. Further calls do nothing.
func (l *Lease) Free() {
	l.once.Do(func() { l.store.Release(l.tenant, l.bytes) })
}

// Reserve leases n bytes for a tenant.
func (s *Store) Reserve(tenant string, n int64) (*Lease, error) {
	if n <= 0 {
		return nil, ErrAmount
	}
	limit := s.limits.BytesFor(tenant)
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.inUse[tenant]
	if !ok {
		u.Since = time.Now()
	}
	if u.Bytes+n > limit {
		return nil, fmt.Errorf("%w: %s holds %d of %d", ErrLimit, tenant, u.Bytes, limit)
	}
	u.Bytes += n
	u.Leases++
	s.inUse[tenant] = u
	return &Lease{store: s, tenant: tenant, bytes: n}, nil
}

// Release takes n bytes and one lease off a tenant and forgets tenants that
// have none left, so that the table does not grow with the number of tenants
// ever seen.
func (s *Store) Release(tenant string, n int64) {
	if left := s.sub(tenant, n); left == 0 {
		s.drop(tenant)
	}
}

func (s *Store) sub(tenant string, n int64) (leases int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.inUse[tenant]
	if !ok {
		return 0
	}
	u.Bytes = max(u.Bytes-n, 0)
	u.Leases = max(u.Leases-1, 0)
	s.inUse[tenant] = u
	return u.Leases
}

func (s *Store) drop(tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inUse[tenant].Leases == 0 {
		delete(s.inUse, tenant)
	}
}

// ServeHTTP reports the usage of all tenants.
func (s *Store) ServeHTTP(rw http.ResponseWriter, _ *http.Request) {
	s.mu.RLock()
	out := make(map[string]usage, len(s.inUse))
	for t, u := range s.inUse {
		out[t] = u
	}
	s.mu.RUnlock()
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(out)
}
