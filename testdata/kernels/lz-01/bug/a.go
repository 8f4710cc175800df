package a

import (
	"errors"
	"sort"
	"sync"
)

type LeaseID int64

type LeaseItem struct{ Key string }

var (
	ErrLeaseNotFound = errors.New("lease not found")
	ErrLeaseExists   = errors.New("lease already exists")
)

type TxnDelete interface {
	DeleteRange(key, end []byte) (n, rev int64)
	End()
}

type RangeDeleter func() TxnDelete

type Lease struct {
	ID  LeaseID
	ttl int64
	// mu protects concurrent accesses to itemSet
	mu      sync.RWMutex
	itemSet map[LeaseItem]struct{}
	revokec chan struct{}
}

func (l *Lease) Keys() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	keys := make([]string, 0, len(l.itemSet))
	for k := range l.itemSet {
		keys = append(keys, k.Key)
	}
	return keys
}

type lessor struct {
	mu       sync.RWMutex
	leaseMap map[LeaseID]*Lease
	rd       RangeDeleter
}

func newLessor(rd RangeDeleter) *lessor {
	return &lessor{leaseMap: make(map[LeaseID]*Lease), rd: rd}
}

func (le *lessor) Grant(id LeaseID, ttl int64) (*Lease, error) {
	l := &Lease{ID: id, ttl: ttl, itemSet: make(map[LeaseItem]struct{}), revokec: make(chan struct{})}

	le.mu.Lock()
	defer le.mu.Unlock()

	if _, ok := le.leaseMap[id]; ok {
		return nil, ErrLeaseExists
	}
	le.leaseMap[id] = l
	return l, nil
}

func (le *lessor) Revoke(id LeaseID) error {
	le.mu.Lock()

	l := le.leaseMap[id]
	if l == nil {
		le.mu.Unlock()
		return ErrLeaseNotFound
	}
	defer close(l.revokec)
	// unlock before doing external work
	le.mu.Unlock()

	txn := le.rd()

	// sort keys so deletes are in same order among all members,
	// otherwise the backend hashes will be different
	keys := l.Keys()
	sort.Strings(keys)
	for _, key := range keys {
		txn.DeleteRange([]byte(key), nil)
	}

	le.mu.Lock()
	defer le.mu.Unlock()
	delete(le.leaseMap, l.ID)

	txn.End()
	return nil
}

func (le *lessor) Attach(id LeaseID, items []LeaseItem) error {
	le.mu.Lock()
	defer le.mu.Unlock()

	l := le.leaseMap[id]
	if l == nil {
		return ErrLeaseNotFound
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, it := range items {
		l.itemSet[it] = struct{}{}
	}
	return nil
}

type EtcdServer struct {
	lessor *lessor
}

func (s *EtcdServer) revokeExpiredLeases(leases []LeaseID) {
	for _, lid := range leases {
		go s.LeaseRevoke(lid)
	}
}

func (s *EtcdServer) LeaseRevoke(id LeaseID) error {
	return s.lessor.Revoke(id)
}
