// Package a enforces the monthly message quota of the customers of a mail
// relay.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrOverQuota = errors.New("quota: monthly quota is used up")
	ErrNoPlan    = errors.New("quota: customer has no plan")
)

// Counter keeps the number of messages per customer. All methods are safe for
// concurrent use. The relay runs with a counter in memory or in a database.
type Counter interface {
	// Used returns the number of messages counted so far.
	Used(ctx context.Context, customer string) (int64, error)
	// AddWithin counts n more messages, unless that would make more than
	// limit; it reports whether it did.
	AddWithin(ctx context.Context, customer string, n, limit int64) (bool, error)
	// Reset begins a new month.
	Reset(ctx context.Context) error
}

// memory is the Counter of a single node.
type memory struct {
	mu   sync.Mutex
	used map[string]int64
}

// NewMemory returns a counter in memory.
func NewMemory() Counter {
	return &memory{used: make(map[string]int64)}
}

func (m *memory) Used(_ context.Context, customer string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used[customer], nil
}

func (m *memory) AddWithin(_ context.Context, customer string, n, limit int64) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used[customer]+n > limit {
		return false, nil
	}
	m.used[customer] += n
	return true, nil
}

func (m *memory) Reset(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.used)
	return nil
}

// Plan is what a customer has bought.
type Plan struct {
	Name    string
	Monthly int64
}

// Gate decides which mailings may go out.
type Gate struct {
	counter Counter
	plans   map[string]Plan // not changed after NewGate
}

// NewGate returns a gate for the customers in plans.
func NewGate(counter Counter, plans map[string]Plan) *Gate {
	g := &Gate{counter: counter, plans: make(map[string]Plan, len(plans))}
	for c, p := range plans {
		g.plans[c] = p
	}
	return g
}

// Admit counts a mailing to n recipients, or refuses it as a whole. No
// customer ever gets beyond the quota of the plan.
func (g *Gate) Admit(ctx context.Context, customer string, n int64) error {
	plan, ok := g.plans[customer]
	if !ok {
		return ErrNoPlan
	}
	if n <= 0 {
		return nil
	}
	ok, err := g.counter.AddWithin(ctx, customer, n, plan.Monthly)
	if err != nil {
		return fmt.Errorf("quota: %w", err)
	}
	if !ok {
		return ErrOverQuota
	}
	return nil
}

// Left returns how many messages the customer may still send.
func (g *Gate) Left(ctx context.Context, customer string) (int64, error) {
	plan, ok := g.plans[customer]
	if !ok {
		return 0, ErrNoPlan
	}
	used, err := g.counter.Used(ctx, customer)
	if err != nil {
		return 0, fmt.Errorf("quota: %w", err)
	}
	return plan.Monthly - used, nil
}
