// Package a books loyalty points of customers.
package a

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
)

// ErrPoints is returned when a customer has too few points.
var ErrPoints = errors.New("loyalty: not enough points")

// Ledger is the remote system of record.
type Ledger interface {
	Record(ctx context.Context, customer string, delta int) error
}

const stripes = 64

// keyLock serialises the work on one key.
type keyLock struct {
	seed maphash.Seed
	mus  [stripes]sync.Mutex
}

func (k *keyLock) lock(key string) (unlock func()) {
	mu := &k.mus[maphash.String(k.seed, key)%stripes]
	mu.Lock()
	return mu.Unlock
}

// Program is a loyalty program.
type Program struct {
	ledger Ledger
	keys   keyLock

	mu     sync.RWMutex
	points map[string]int
}

// NewProgram returns a program which records to l.
func NewProgram(l Ledger) *Program {
	return &Program{
		ledger: l,
		keys:   keyLock{seed: maphash.MakeSeed()},
		points: make(map[string]int),
	}
}

// Points returns the points of a customer.
func (p *Program) Points(customer string) int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.points[customer]
}

func (p *Program) set(customer string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n == 0 {
		delete(p.points, customer)
		return
	}
	p.points[customer] = n
}

// Redeem spends points.
func (p *Program) Redeem(ctx context.Context, customer string, n int) error {
	defer p.keys.lock(customer)()
	have := p.Points(customer)
	if have < n {
		return fmt.Errorf("%w: %d of %d", ErrPoints, have, n)
	}
	if err := p.ledger.Record(ctx, customer, -n); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	p.set(customer, have-n)
	return nil
}

// Earn adds points.
func (p *Program) Earn(ctx context.Context, customer string, n int) error {
	defer p.keys.lock(customer)()
	if err := p.ledger.Record(ctx, customer, n); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	p.set(customer, p.Points(customer)+n)
	return nil
}
