// Package provision starts virtual machines for CI runners and keeps every
// tenant within its quota.
package provision

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrQuota  = errors.New("provision: quota exhausted")
	ErrClosed = errors.New("provision: closed")
)

// Cloud starts and stops machines.
type Cloud interface {
	Launch(ctx context.Context, tenant string) (machine string, err error)
	Destroy(ctx context.Context, machine string) error
}

// Provisioner is safe for concurrent use.
type Provisioner struct {
	cloud Cloud
	quota int

	mu     sync.Mutex
	used   map[string]int    // tenant -> machines that exist or are being made
	owners map[string]string // machine -> tenant
	closed bool
}

// New returns a provisioner that allows quota machines per tenant.
func New(c Cloud, quota int) *Provisioner {
	return &Provisioner{
		cloud:  c,
		quota:  quota,
		used:   make(map[string]int),
		owners: make(map[string]string),
	}
}

func (p *Provisioner) reserve(tenant string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	if p.used[tenant] >= p.quota {
		return fmt.Errorf("%w: %s", ErrQuota, tenant)
	}
	p.used[tenant]++
	return nil
}

func (p *Provisioner) refund(tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used[tenant]--; p.used[tenant] == 0 {
		delete(p.used, tenant)
	}
}

// own records a machine, unless the provisioner has been closed.
func (p *Provisioner) own(machine, tenant string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.owners[machine] = tenant
	return true
}

// disown takes a machine out of the books; only one caller gets it.
func (p *Provisioner) disown(machine string) (tenant string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tenant, ok = p.owners[machine]
	delete(p.owners, machine)
	return tenant, ok
}

// Start launches a machine for a tenant.
func (p *Provisioner) Start(ctx context.Context, tenant string) (string, error) {
	if err := p.reserve(tenant); err != nil {
		return "", err
	}
	machine, err := p.cloud.Launch(ctx, tenant)
	if err != nil {
		p.refund(tenant)
		return "", err
	}
	if !p.own(machine, tenant) {
		err := p.cloud.Destroy(context.WithoutCancel(ctx), machine)
		p.refund(tenant)
		return "", errors.Join(ErrClosed, err)
	}
	return machine, nil
}

// Stop destroys a machine. It does nothing for a machine that is gone or that
// another call is destroying.
func (p *Provisioner) Stop(ctx context.Context, machine string) error {
	tenant, ok := p.disown(machine)
	if !ok {
		return nil
	}
	if err := p.cloud.Destroy(ctx, machine); err != nil {
		// It may still be running, so it goes on counting and can be stopped again.
		p.mu.Lock()
		p.owners[machine] = tenant
		p.mu.Unlock()
		return fmt.Errorf("provision: destroy %s: %w", machine, err)
	}
	p.refund(tenant)
	return nil
}

// Close destroys all machines, several at a time.
func (p *Provisioner) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	machines := make([]string, 0, len(p.owners))
	for m := range p.owners {
		machines = append(machines, m)
	}
	p.mu.Unlock()

	errs := make([]error, len(machines))
	var wg sync.WaitGroup
	for i, m := range machines {
		wg.Go(func() { errs[i] = p.Stop(ctx, m) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
