// Package lease keeps time limited leases and the keys attached to them.
package lease

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"
)

const NoLease = LeaseID(0)

var (
	ErrNotPrimary    = errors.New("not a primary lessor")
	ErrLeaseNotFound = errors.New("lease not found")
	ErrLeaseExists   = errors.New("lease already exists")
)

type LeaseID int64

type TxnDelete interface {
	DeleteRange(key, end []byte) (n, rev int64)
	End()
}

type RangeDeleter func() TxnDelete

type LeaseCheckpoint struct {
	ID           int64
	RemainingTTL int64
}

// Checkpointer persists the remaining TTL of leases through the consensus log.
type Checkpointer func(ctx context.Context, cps []*LeaseCheckpoint) error

type Lease struct {
	ID           LeaseID
	ttl          int64
	remainingTTL int64

	expiryMu sync.RWMutex
	expiry   time.Time
	mu       sync.RWMutex
	itemSet  map[string]struct{}
	revokec  chan struct{}
}

func newLease(id LeaseID, ttl int64) *Lease {
	return &Lease{ID: id, ttl: ttl, itemSet: make(map[string]struct{}), revokec: make(chan struct{})}
}

func (l *Lease) expired() bool {
	l.expiryMu.RLock()
	defer l.expiryMu.RUnlock()
	return !l.expiry.IsZero() && time.Until(l.expiry) <= 0
}

func (l *Lease) refresh(extend time.Duration) time.Time {
	l.remainingTTL = 0
	newExpiry := time.Now().Add(extend + time.Duration(l.ttl)*time.Second)
	l.expiryMu.Lock()
	defer l.expiryMu.Unlock()
	l.expiry = newExpiry
	return newExpiry
}

func (l *Lease) Keys() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	keys := make([]string, 0, len(l.itemSet))
	for k := range l.itemSet {
		keys = append(keys, k)
	}
	return keys
}

// lessor implements the lease store of one member.
type lessor struct {
	mu sync.RWMutex

	// demotec is set when the lessor is the primary.
	demotec chan struct{}

	leaseMap             map[LeaseID]*Lease
	leaseExpiredNotifier map[LeaseID]time.Time

	rd       RangeDeleter
	cp       Checkpointer
	expiredC chan []LeaseID
	stopC    chan struct{}
}

func NewLessor(rd RangeDeleter, cp Checkpointer) *lessor {
	le := &lessor{
		leaseMap:             make(map[LeaseID]*Lease),
		leaseExpiredNotifier: make(map[LeaseID]time.Time),
		rd:                   rd,
		cp:                   cp,
		expiredC:             make(chan []LeaseID, 16),
		stopC:                make(chan struct{}),
	}
	go le.runLoop()
	return le
}

func (le *lessor) isPrimary() bool { return le.demotec != nil }

func (le *lessor) Promote() {
	le.mu.Lock()
	le.demotec = make(chan struct{})
	le.mu.Unlock()
}

func (le *lessor) Grant(id LeaseID, ttl int64) (*Lease, error) {
	if id == NoLease {
		return nil, ErrLeaseNotFound
	}
	l := newLease(id, ttl)

	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leaseMap[id]; ok {
		return nil, ErrLeaseExists
	}
	le.leaseMap[id] = l
	if le.isPrimary() {
		le.leaseExpiredNotifier[id] = l.refresh(0)
	}
	return l, nil
}

func (le *lessor) Checkpoint(id LeaseID, remainingTTL int64) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leaseMap[id]
	if !ok {
		return ErrLeaseNotFound
	}
	l.remainingTTL = remainingTTL
	return nil
}

func (le *lessor) Attach(id LeaseID, keys []string) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leaseMap[id]
	if l == nil {
		return ErrLeaseNotFound
	}
	l.mu.Lock()
	for _, k := range keys {
		l.itemSet[k] = struct{}{}
	}
	l.mu.Unlock()
	return nil
}

// Revoke deletes the lease and all the keys that are attached to it.
func (le *lessor) Revoke(id LeaseID) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leaseMap[id]
	if l == nil {
		return ErrLeaseNotFound
	}
	defer close(l.revokec)

	txn := le.rd()
	keys := l.Keys()
	sort.Strings(keys)
	for _, key := range keys {
		txn.DeleteRange([]byte(key), nil)
	}
	delete(le.leaseMap, l.ID)
	delete(le.leaseExpiredNotifier, l.ID)
	txn.End()
	return nil
}

// Renew renews an existing lease. If the given lease does not exist or
// has expired, an error will be returned.
func (le *lessor) Renew(id LeaseID) (int64, error) {
	le.mu.RLock()
	if !le.isPrimary() {
		le.mu.RUnlock()
		return -1, ErrNotPrimary
	}
	demotec := le.demotec
	l := le.leaseMap[id]
	if l == nil {
		le.mu.RUnlock()
		return -1, ErrLeaseNotFound
	}
	clearRemainingTTL := le.cp != nil && l.remainingTTL > 0
	le.mu.RUnlock()

	if l.expired() {
		select {
		case <-l.revokec:
			return -1, ErrLeaseNotFound
		case <-demotec:
			return -1, ErrNotPrimary
		case <-le.stopC:
			return -1, ErrNotPrimary
		}
	}

	if clearRemainingTTL {
		if err := le.cp(context.Background(), []*LeaseCheckpoint{{ID: int64(l.ID)}}); err != nil {
			return -1, err
		}
	}

	le.mu.Lock()
	le.leaseExpiredNotifier[l.ID] = l.refresh(0)
	le.mu.Unlock()
	return l.ttl, nil
}

func (le *lessor) ExpiredLeasesC() <-chan []LeaseID { return le.expiredC }

func (le *lessor) runLoop() {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			le.mu.RLock()
			var ids []LeaseID
			for id, at := range le.leaseExpiredNotifier {
				if le.isPrimary() && time.Now().After(at) {
					ids = append(ids, id)
				}
			}
			le.mu.RUnlock()
			if len(ids) == 0 {
				continue
			}
			select {
			case le.expiredC <- ids:
			default:
			}
		case <-le.stopC:
			return
		}
	}
}

func (le *lessor) Stop() { close(le.stopC) }
