// Package quota divides a cluster's request budget among tenants. Limits are
// looked up with every request and changed by administrators.
package quota

import (
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrUnknownTenant is returned for a tenant without a limit.
	ErrUnknownTenant = errors.New("quota: unknown tenant")
	// ErrBudget is returned when a change would exceed the cluster's budget.
	ErrBudget = errors.New("quota: budget exceeded")
	// ErrBelowFloor is returned when a change would leave a tenant too little.
	ErrBelowFloor = errors.New("quota: limit below floor")
)

// Store makes the limits durable.
type Store interface {
	Save(limits map[string]int64) error
}

// table is what requests look at. Its lock is held for moments only.
type table struct {
	mu     sync.RWMutex
	limits map[string]int64
}

func (t *table) get(tenant string) (int64, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	n, ok := t.limits[tenant]
	return n, ok
}

func (t *table) sum() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var s int64
	for _, n := range t.limits {
		s += n
	}
	return s
}

func (t *table) copy() map[string]int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make(map[string]int64, len(t.limits))
	for k, n := range t.limits {
		out[k] = n
	}
	return out
}

// put makes all the given limits visible at once.
func (t *table) put(limits map[string]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, n := range limits {
		t.limits[k] = n
	}
}

// Manager is safe for concurrent use.
type Manager struct {
	store  Store
	budget int64
	floor  int64

	adminMu sync.Mutex // held throughout every change, saving included
	live    table
}

// NewManager returns a manager without tenants.
func NewManager(store Store, budget, floor int64) *Manager {
	return &Manager{store: store, budget: budget, floor: floor, live: table{limits: make(map[string]int64)}}
}

// Limit returns a tenant's limit. It does not wait for changes that are being saved.
func (m *Manager) Limit(tenant string) (int64, error) {
	n, ok := m.live.get(tenant)
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrUnknownTenant, tenant)
	}
	return n, nil
}

// commit saves limits with the given ones changed, and then makes them visible.
// Caller holds m.adminMu.
func (m *Manager) commit(changed map[string]int64) error {
	all := m.live.copy()
	for k, n := range changed {
		all[k] = n
	}
	if err := m.store.Save(all); err != nil {
		return fmt.Errorf("quota: save: %w", err)
	}
	m.live.put(changed)
	return nil
}

// Grow adds n to a tenant's limit; a tenant that is not known yet starts at the
// floor. n may be negative.
func (m *Manager) Grow(tenant string, n int64) (int64, error) {
	m.adminMu.Lock()
	defer m.adminMu.Unlock()
	have, ok := m.live.get(tenant)
	limit := have + n
	if !ok {
		limit = m.floor + n
	}
	if limit < m.floor {
		return have, fmt.Errorf("%w: %s: %d", ErrBelowFloor, tenant, limit)
	}
	if free := m.budget - m.live.sum(); limit-have > free {
		return have, fmt.Errorf("%w: %d left", ErrBudget, free)
	}
	if err := m.commit(map[string]int64{tenant: limit}); err != nil {
		return have, err
	}
	return limit, nil
}

// Transfer moves n from one tenant's limit to another's.
func (m *Manager) Transfer(from, to string, n int64) error {
	if n <= 0 || from == to {
		return fmt.Errorf("quota: bad transfer of %d from %s to %s", n, from, to)
	}
	m.adminMu.Lock()
	defer m.adminMu.Unlock()
	src, ok := m.live.get(from)
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknownTenant, from)
	}
	dst, ok := m.live.get(to)
	if !ok {
		return fmt.Errorf("%w: %s", ErrUnknownTenant, to)
	}
	if src-n < m.floor {
		return fmt.Errorf("%w: %s: %d", ErrBelowFloor, from, src-n)
	}
	return m.commit(map[string]int64{from: src - n, to: dst + n})
}

// Limits returns all limits as of one moment.
func (m *Manager) Limits() map[string]int64 { return m.live.copy() }

// Allocated returns how much of the budget has been given out.
func (m *Manager) Allocated() int64 { return m.live.sum() }
