package etcdserver

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrNotPrimary    = errors.New("not a primary lessor")
	ErrLeaseNotFound = errors.New("lease not found")
	ErrLeaseExists   = errors.New("lease already exists")
)

// forever is the expiry of a lease on a lessor that is not the primary.
var forever = time.Unix(1<<40, 0)

type Lease struct {
	ID     int64
	TTL    int64 // time to live in seconds
	expiry time.Time
}

func (l *Lease) refresh(extend time.Duration) {
	l.expiry = time.Now().Add(extend + time.Duration(l.TTL)*time.Second)
}

// lessor implements Lessor interface.
type lessor struct {
	mu sync.Mutex

	// primary indicates if this lessor is the primary lessor. The primary
	// lessor manages lease expiration and renew.
	primary bool

	leaseMap map[int64]*Lease
}

func newLessor() *lessor {
	return &lessor{leaseMap: make(map[int64]*Lease)}
}

func (le *lessor) Grant(id, ttl int64) (*Lease, error) {
	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leaseMap[id]; ok {
		return nil, ErrLeaseExists
	}
	l := &Lease{ID: id, TTL: ttl, expiry: forever}
	if le.primary {
		l.refresh(0)
	}
	le.leaseMap[id] = l
	return l, nil
}

func (le *lessor) Revoke(id int64) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.leaseMap[id] == nil {
		return ErrLeaseNotFound
	}
	delete(le.leaseMap, id)
	return nil
}

// Renew renews an existing lease. If the given lease does not exist or
// has expired, an error will be returned.
func (le *lessor) Renew(id int64) (int64, error) {
	le.mu.Lock()
	defer le.mu.Unlock()
	if !le.primary {
		// forward renew request to primary instead of returning error.
		return -1, ErrNotPrimary
	}
	l := le.leaseMap[id]
	if l == nil {
		return -1, ErrLeaseNotFound
	}
	l.refresh(0)
	return l.TTL, nil
}

// Promote promotes the lessor to be the primary lessor. Primary lessor manages
// the expiration and renew of leases.
func (le *lessor) Promote(extend time.Duration) {
	le.mu.Lock()
	defer le.mu.Unlock()

	le.primary = true

	// refresh the expiries of all leases.
	for _, l := range le.leaseMap {
		l.refresh(extend)
	}
}

// Demote demotes the lessor from being the primary lessor.
func (le *lessor) Demote() {
	le.mu.Lock()
	defer le.mu.Unlock()

	// set the expiries of all leases to forever
	for _, l := range le.leaseMap {
		l.expiry = forever
	}
	le.primary = false
}
