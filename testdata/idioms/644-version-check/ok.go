// Package inventory keeps stock rows with optimistic versions.
package inventory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrConflict is returned when a row has changed since it was read.
	ErrConflict = errors.New("inventory: version conflict")
	// ErrNotFound is returned for unknown rows.
	ErrNotFound = errors.New("inventory: not found")
	// ErrNegative is returned when a change would make the stock negative.
	ErrNegative = errors.New("inventory: stock would be negative")
)

// Row is the stock of an article in a bin.
type Row struct {
	SKU     string
	OnHand  int
	Version uint64
	Changed time.Time
}

// Rows is a table with versions.
type Rows struct {
	mu   sync.Mutex
	rows map[string]Row
}

// NewRows returns an empty table.
func NewRows() *Rows { return &Rows{rows: make(map[string]Row)} }

// Create adds an empty row unless there is one.
func (t *Rows) Create(sku string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.rows[sku]; !ok {
		t.rows[sku] = Row{SKU: sku, Version: 1, Changed: time.Now()}
	}
}

// Get reads a row.
func (t *Rows) Get(sku string) (Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.rows[sku]
	if !ok {
		return Row{}, fmt.Errorf("%w: %s", ErrNotFound, sku)
	}
	return r, nil
}

// PutIf writes a row if its version still is the one that was read.
func (t *Rows) PutIf(r Row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	cur, ok := t.rows[r.SKU]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNotFound, r.SKU)
	}
	if cur.Version != r.Version {
		return ErrConflict
	}
	r.Version++
	t.rows[r.SKU] = r
	return nil
}

// Pricer may veto a change; it can be slow.
type Pricer interface {
	Approve(ctx context.Context, r Row, delta int) error
}

// Service changes stock.
type Service struct {
	rows   *Rows
	pricer Pricer
}

// NewService returns a service over the rows.
func NewService(rows *Rows, p Pricer) *Service { return &Service{rows: rows, pricer: p} }

func (s *Service) adjustOnce(ctx context.Context, sku string, delta int) (Row, error) {
	r, err := s.rows.Get(sku)
	if err != nil {
		return Row{}, err
	}
	if r.OnHand+delta < 0 {
		return Row{}, fmt.Errorf("%w: %s has %d", ErrNegative, sku, r.OnHand)
	}
	if err := s.pricer.Approve(ctx, r, delta); err != nil {
		return Row{}, err
	}
	r.OnHand += delta
	r.Changed = time.Now()
	return r, s.rows.PutIf(r)
}

// Adjust adds delta to the stock of an article.
func (s *Service) Adjust(ctx context.Context, sku string, delta int) (int, error) {
	for {
		r, err := s.adjustOnce(ctx, sku, delta)
		switch {
		case err == nil:
			return r.OnHand, nil
		case !errors.Is(err, ErrConflict):
			return 0, err
		case ctx.Err() != nil:
			return 0, ctx.Err()
		}
	}
}
