// Package a answers which sales tax applies in a region.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Rate is a tax rate in basis points.
type Rate struct {
	Standard int
	Reduced  int
}

// Registry reads the rate in force from the tax authority's database.
type Registry interface {
	Rate(ctx context.Context, region string) (Rate, error)
}

// Table remembers the rates that were asked for.
type Table struct {
	registry Registry

	mu    sync.Mutex
	rates map[string]Rate
	epoch uint64
	hits  int
	fills int
}

// NewTable returns an empty table in front of r.
func NewTable(r Registry) *Table {
	return &Table{registry: r, rates: make(map[string]Rate)}
}

// Lookup returns the rate of a region.
func (t *Table) Lookup(ctx context.Context, region string) (Rate, error) {
	if region == "" {
		return Rate{}, errors.New("empty region")
	}
	t.mu.Lock()
	if r, ok := t.rates[region]; ok {
		t.hits++
		t.mu.Unlock()
		return r, nil
	}
	epoch := t.epoch
	t.mu.Unlock()

	r, err := t.registry.Rate(ctx, region)
	if err != nil {
		return Rate{}, fmt.Errorf("rate of %s: %w", region, err)
	}

	t.mu.Lock()
	t.fills++
	if t.epoch == epoch {
		t.rates[region] = r
	}
	t.mu.Unlock()
	return r, nil
}

// Changed is called by the change feed after the authority has put a new rate
// of the region in force.
func (t *Table) Changed(region string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.epoch++
	delete(t.rates, region)
}

// Tax computes the tax on an amount in cents, rounded to the nearest cent.
func (t *Table) Tax(ctx context.Context, region string, cents int64, reduced bool) (int64, error) {
	r, err := t.Lookup(ctx, region)
	if err != nil {
		return 0, err
	}
	bp := r.Standard
	if reduced {
		bp = r.Reduced
	}
	return (cents*int64(bp) + 5000) / 10000, nil
}

// Stats reports the number of hits and fills.
func (t *Table) Stats() (hits, fills int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hits, t.fills
}
