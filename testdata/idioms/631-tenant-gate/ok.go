// Package tenants manages the capacity that each tenant of a service has.
package tenants

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrUnknown = errors.New("tenants: unknown tenant")
	ErrExists  = errors.New("tenants: tenant exists")
)

// Plan is what a tenant has.
type Plan struct {
	Shards  int
	PerNode int
}

// Provisioner talks to the cluster. Its calls take seconds.
type Provisioner interface {
	Grow(ctx context.Context, tenant string, by int) error
	Shrink(ctx context.Context, tenant string, by int) error
	Destroy(ctx context.Context, tenant string) error
}

// Directory holds the plans.
type Directory struct {
	prov Provisioner
	gate chan struct{}

	mu    sync.RWMutex
	plans map[string]Plan
}

// New returns an empty directory.
func New(p Provisioner) *Directory {
	return &Directory{prov: p, gate: make(chan struct{}, 1), plans: make(map[string]Plan)}
}

func (d *Directory) enter(ctx context.Context) error {
	select {
	case d.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Directory) leave() { <-d.gate }

// Plan returns the plan of a tenant.
func (d *Directory) Plan(tenant string) (Plan, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	p, ok := d.plans[tenant]
	if !ok {
		return Plan{}, fmt.Errorf("%w: %s", ErrUnknown, tenant)
	}
	return p, nil
}

func (d *Directory) setPlan(tenant string, p Plan) {
	d.mu.Lock()
	d.plans[tenant] = p
	d.mu.Unlock()
}

// Create makes a tenant.
func (d *Directory) Create(ctx context.Context, tenant string, p Plan) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.leave()
	if _, err := d.Plan(tenant); err == nil {
		return fmt.Errorf("%w: %s", ErrExists, tenant)
	}
	if err := d.prov.Grow(ctx, tenant, p.Shards); err != nil {
		return fmt.Errorf("tenants: create %s: %w", tenant, err)
	}
	d.setPlan(tenant, p)
	return nil
}

// Resize changes the number of shards by a difference.
func (d *Directory) Resize(ctx context.Context, tenant string, by int) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.leave()
	p, err := d.Plan(tenant)
	if err != nil {
		return err
	}
	switch {
	case p.Shards+by < 1:
		return fmt.Errorf("tenants: %s has only %d shards", tenant, p.Shards)
	case by > 0:
		err = d.prov.Grow(ctx, tenant, by)
	default:
		err = d.prov.Shrink(ctx, tenant, -by)
	}
	if err != nil {
		return fmt.Errorf("tenants: resize %s: %w", tenant, err)
	}
	p.Shards += by
	d.setPlan(tenant, p)
	return nil
}

// Delete removes a tenant.
func (d *Directory) Delete(ctx context.Context, tenant string) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.leave()
	if _, err := d.Plan(tenant); err != nil {
		return err
	}
	if err := d.prov.Destroy(ctx, tenant); err != nil {
		return fmt.Errorf("tenants: delete %s: %w", tenant, err)
	}
	d.mu.Lock()
	delete(d.plans, tenant)
	d.mu.Unlock()
	return nil
}
