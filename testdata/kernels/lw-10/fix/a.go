package leasekeeper

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	errNoLease   = errors.New("requested lease not found")
	errNotLeader = errors.New("not the primary keeper")
)

type leaseKey int64

// kvDeleter removes keys of the key space.
type kvDeleter interface {
	DeleteKey(key string)
}

type grant struct {
	id      leaseKey
	ttl     time.Duration
	revoked chan struct{}

	items map[string]struct{}

	expiryMu sync.RWMutex
	expiry   time.Time
}

func (g *grant) extend() {
	g.expiryMu.Lock()
	defer g.expiryMu.Unlock()
	g.expiry = time.Now().Add(g.ttl)
}

func (g *grant) expired() bool {
	g.expiryMu.RLock()
	defer g.expiryMu.RUnlock()
	return time.Now().After(g.expiry)
}

func (g *grant) keys() []string {
	ks := make([]string, 0, len(g.items))
	for k := range g.items {
		ks = append(ks, k)
	}
	return ks
}

type keeper struct {
	mu      sync.RWMutex
	primary bool
	leases  map[leaseKey]*grant
	kv      kvDeleter
	demoted chan struct{}
}

func (kp *keeper) Grant(id leaseKey, ttl time.Duration, keys []string) {
	g := &grant{id: id, ttl: ttl, revoked: make(chan struct{}), items: make(map[string]struct{})}
	for _, k := range keys {
		g.items[k] = struct{}{}
	}
	g.extend()
	kp.mu.Lock()
	defer kp.mu.Unlock()
	if kp.leases[id] == nil {
		kp.leases[id] = g
	}
}

// Revoke deletes a lease and its keys; only the apply loop calls it.
func (kp *keeper) Revoke(id leaseKey) error {
	kp.mu.Lock()
	g := kp.leases[id]
	if g == nil {
		kp.mu.Unlock()
		return errNoLease
	}
	// Announce the revocation while the lock is held.
	close(g.revoked)
	// unlock before doing external work
	kp.mu.Unlock()

	// sort keys so that all members delete in the same order
	keys := g.keys()
	sort.Strings(keys)
	for _, k := range keys {
		kp.kv.DeleteKey(k)
	}

	kp.mu.Lock()
	defer kp.mu.Unlock()
	delete(kp.leases, g.id)
	return nil
}

// Renew extends a lease.
func (kp *keeper) Renew(ctx context.Context, id leaseKey) (time.Duration, error) {
	kp.mu.RLock()
	if !kp.primary {
		kp.mu.RUnlock()
		return 0, errNotLeader
	}
	demoted := kp.demoted
	g := kp.leases[id]
	kp.mu.RUnlock()
	if g == nil {
		return 0, errNoLease
	}
	if g.expired() {
		// The lease may be about to be revoked; wait for the outcome.
		select {
		case <-g.revoked:
			return 0, errNoLease
		case <-demoted:
			return 0, errNotLeader
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}

	kp.mu.Lock()
	// Check again, the lease may have been revoked in the meantime.
	g = kp.leases[id]
	if g == nil {
		kp.mu.Unlock()
		return 0, errNoLease
	}
	select {
	case <-g.revoked:
		kp.mu.Unlock()
		return 0, errNoLease
	default:
	}
	g.extend()
	kp.mu.Unlock()
	return g.ttl, nil
}

type applyOp struct {
	revoke leaseKey
	grant  leaseKey
	ttl    time.Duration
	keys   []string
}

// Member applies committed entries and serves renewals.
type Member struct {
	keeper  *keeper
	applyCh chan applyOp
}

// StartMember starts the apply loop.
func StartMember(ctx context.Context, kv kvDeleter) *Member {
	m := &Member{
		keeper:  &keeper{primary: true, leases: make(map[leaseKey]*grant), kv: kv, demoted: make(chan struct{})},
		applyCh: make(chan applyOp, 16),
	}
	go m.applyLoop(ctx)
	return m
}

func (m *Member) applyLoop(ctx context.Context) {
	for {
		select {
		case op := <-m.applyCh:
			if op.revoke != 0 {
				_ = m.keeper.Revoke(op.revoke)
			} else {
				m.keeper.Grant(op.grant, op.ttl, op.keys)
			}
		case <-ctx.Done():
			return
		}
	}
}

// LeaseRevoke is called for committed entries.
func (m *Member) LeaseRevoke(id leaseKey) { m.applyCh <- applyOp{revoke: id} }

// LeaseGrant is called for committed entries.
func (m *Member) LeaseGrant(id leaseKey, ttl time.Duration, keys ...string) {
	m.applyCh <- applyOp{grant: id, ttl: ttl, keys: keys}
}

// LeaseRenew is called by RPC handlers.
func (m *Member) LeaseRenew(ctx context.Context, id leaseKey) (time.Duration, error) {
	return m.keeper.Renew(ctx, id)
}
