// Package grants keeps the grants of tenants, which are issued elsewhere.
package grants

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var ErrTooSoon = errors.New("grants: refreshed a moment ago")

const minAge = time.Second

// Grant is what a tenant may do. A later grant has a higher serial. A grant is
// not changed once it was issued.
type Grant struct {
	Tenant  string
	Serial  uint64
	Topics  []string
	Expires time.Time
}

// Issuer is the place where grants come from.
type Issuer interface {
	Fetch(ctx context.Context, tenant string) (*Grant, error)
}

// Tenant is a tenant that is known.
type Tenant struct {
	name string

	mu      sync.RWMutex
	grant   *Grant
	updated time.Time
}

// May tells whether the tenant may use a topic now.
func (t *Tenant) May(topic string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return time.Now().Before(t.grant.Expires) && slices.Contains(t.grant.Topics, topic)
}

func (t *Tenant) expired() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return !time.Now().Before(t.grant.Expires)
}

// update puts a grant in the place of an older one.
func (t *Tenant) update(g *Grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.updated = time.Now()
	if g.Serial > t.grant.Serial {
		t.grant = g
	}
}

// Registry is safe for concurrent use.
type Registry struct {
	issuer Issuer

	tenants sync.Map // of *Tenant by name
	mu      sync.Mutex
	count   int // guarded by mu
}

// NewRegistry returns an empty registry.
func NewRegistry(issuer Issuer) *Registry {
	return &Registry{issuer: issuer}
}

// Tenant returns the tenant with the given name, with a grant that has not
// expired if there is one.
func (r *Registry) Tenant(ctx context.Context, name string) (*Tenant, error) {
	if v, ok := r.tenants.Load(name); ok {
		t := v.(*Tenant)
		if t.expired() {
			if err := r.Refresh(ctx, t); err != nil && !errors.Is(err, ErrTooSoon) {
				return nil, err
			}
		}
		return t, nil
	}
	g, err := r.issuer.Fetch(ctx, name)
	if err != nil {
		return nil, err
	}
	t := r.register(&Tenant{name: name, grant: g, updated: time.Now()})
	// If it was registered by somebody else, their grant may be older.
	t.update(g)
	return t, nil
}

// register returns the tenant of that name if there is one by now.
func (r *Registry) register(t *Tenant) *Tenant {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.tenants.Load(t.name); ok {
		return v.(*Tenant)
	}
	r.tenants.Store(t.name, t)
	r.count++
	return t
}

// Refresh fetches the grant of a tenant again, but not all the time.
func (r *Registry) Refresh(ctx context.Context, t *Tenant) error {
	t.mu.RLock()
	tooSoon := time.Since(t.updated) < minAge
	t.mu.RUnlock()
	if tooSoon {
		return ErrTooSoon
	}
	g, err := r.issuer.Fetch(ctx, t.name)
	if err != nil {
		return err
	}
	t.update(g)
	return nil
}

// Len returns the number of tenants.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}
