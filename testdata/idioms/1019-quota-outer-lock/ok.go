// Package quota distributes the capacity of a cluster among tenants.
package quota

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrCapacity = errors.New("quota: more than the cluster has")
	ErrUnknown  = errors.New("quota: unknown tenant")
)

// Quota is what one tenant may use.
type Quota struct {
	CPU    int64
	Memory int64
}

// Store keeps the quotas on disk. It is slow.
type Store interface {
	Write(tenant string, q Quota) error
	Delete(tenant string) error
}

// Manager serves quotas to the schedulers, which read far more often than
// anybody writes.
type Manager struct {
	store    Store
	capacity Quota

	// updateMu serialises the changes, including the write to the store. mu
	// is held only for moments, so that readers never wait for the disk.
	updateMu sync.Mutex
	mu       sync.RWMutex
	tenants  map[string]Quota
}

// NewManager takes over the quotas that were read from the store.
func NewManager(store Store, capacity Quota, initial map[string]Quota) *Manager {
	m := &Manager{store: store, capacity: capacity, tenants: make(map[string]Quota, len(initial))}
	for t, q := range initial {
		m.tenants[t] = q
	}
	return m
}

// Get returns the quota of a tenant.
func (m *Manager) Get(tenant string) (Quota, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	q, ok := m.tenants[tenant]
	return q, ok
}

func (m *Manager) othersUse(tenant string) (cpu, mem int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for t, q := range m.tenants {
		if t != tenant {
			cpu += q.CPU
			mem += q.Memory
		}
	}
	return cpu, mem
}

// Update replaces the quota of a tenant by what change makes of it; a new
// tenant begins with nothing. It returns the quota that holds afterwards.
func (m *Manager) Update(tenant string, change func(Quota) Quota) (Quota, error) {
	m.updateMu.Lock()
	defer m.updateMu.Unlock()

	cur, _ := m.Get(tenant)
	q := change(cur)
	cpu, mem := m.othersUse(tenant)
	if cpu+q.CPU > m.capacity.CPU || mem+q.Memory > m.capacity.Memory {
		return cur, ErrCapacity
	}
	if err := m.store.Write(tenant, q); err != nil {
		return cur, fmt.Errorf("quota: tenant %s: %w", tenant, err)
	}
	m.mu.Lock()
	m.tenants[tenant] = q
	m.mu.Unlock()
	return q, nil
}

// Remove deletes a tenant.
func (m *Manager) Remove(tenant string) error {
	m.updateMu.Lock()
	defer m.updateMu.Unlock()

	if _, ok := m.Get(tenant); !ok {
		return ErrUnknown
	}
	if err := m.store.Delete(tenant); err != nil {
		return fmt.Errorf("quota: tenant %s: %w", tenant, err)
	}
	m.mu.Lock()
	delete(m.tenants, tenant)
	m.mu.Unlock()
	return nil
}

// Grow adds to the quotas of many tenants and does not stop at errors. It
// returns one of them.
func (m *Manager) Grow(by map[string]Quota) error {
	var wg sync.WaitGroup
	errs := make(chan error, len(by))
	for t, d := range by {
		wg.Go(func() {
			_, err := m.Update(t, func(q Quota) Quota {
				return Quota{CPU: q.CPU + d.CPU, Memory: q.Memory + d.Memory}
			})
			if err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}
