package tenantlock

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
)

type tenantLock struct {
	mu      sync.Mutex
	waiting atomic.Int32
	taken   atomic.Int64
}

func (t *tenantLock) acquire() func() {
	t.waiting.Add(1)
	t.mu.Lock()
	t.waiting.Add(-1)
	t.taken.Add(1)
	return t.mu.Unlock
}

type lockSet struct {
	mu    sync.RWMutex
	locks map[string]*tenantLock
}

func (s *lockSet) get(tenant string) *tenantLock {
	s.mu.RLock()
	l := s.locks[tenant]
	s.mu.RUnlock()
	if l != nil {
		return l
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.locks[tenant]; l != nil {
		return l
	}
	l = new(tenantLock)
	s.locks[tenant] = l
	return l
}

func (s *lockSet) busiest(n int) []string {
	type row struct {
		tenant  string
		waiting int32
	}
	s.mu.RLock()
	rows := make([]row, 0, len(s.locks))
	for t, l := range s.locks {
		rows = append(rows, row{t, l.waiting.Load()})
	}
	s.mu.RUnlock()
	sort.Slice(rows, func(i, j int) bool { return rows[i].waiting > rows[j].waiting })
	var out []string
	for _, r := range rows[:min(n, len(rows))] {
		out = append(out, fmt.Sprintf("%s (%d waiting)", r.tenant, r.waiting))
	}
	return out
}

// Schema is the schema of a tenant's database.
type Schema struct {
	Version int
	Tables  []string
}

// Database is where the tenants live.
type Database interface {
	Load(ctx context.Context, tenant string) (Schema, error)
	Apply(ctx context.Context, tenant string, m Migration) error
	Save(ctx context.Context, tenant string, s Schema) error
}

// Migration takes a schema from one version to the next.
type Migration struct {
	From int
	SQL  string
	Add  []string
}

// Migrator brings schemas up to date, for one tenant at a time. The set of
// tenants comes from the configuration.
type Migrator struct {
	db    Database
	steps []Migration
	locks lockSet
}

// New returns a migrator with the given steps.
func New(db Database, steps []Migration) *Migrator {
	return &Migrator{db: db, steps: steps, locks: lockSet{locks: make(map[string]*tenantLock)}}
}

// Migrate brings the schema of a tenant to the newest version.
func (m *Migrator) Migrate(ctx context.Context, tenant string) (Schema, error) {
	defer m.locks.get(tenant).acquire()()
	s, err := m.db.Load(ctx, tenant)
	if err != nil {
		return Schema{}, fmt.Errorf("load schema of %s: %w", tenant, err)
	}
	for _, step := range m.steps {
		if step.From != s.Version {
			continue
		}
		if err := m.db.Apply(ctx, tenant, step); err != nil {
			return s, fmt.Errorf("migrate %s from %d: %w", tenant, step.From, err)
		}
		s.Version++
		s.Tables = append(s.Tables, step.Add...)
		if err := m.db.Save(ctx, tenant, s); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Busiest lists the tenants that most callers wait for.
func (m *Migrator) Busiest() []string { return m.locks.busiest(10) }
