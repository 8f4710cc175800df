// Package a finalises invoices.
package a

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Errors of the billing desk.
var (
	ErrNotFound = errors.New("billing: no such invoice")
	ErrState    = errors.New("billing: invoice is not a draft")
)

// State is the progress of an invoice.
type State int

// An invoice is changed as a draft only.
const (
	Draft State = iota
	Finalising
	Final
)

type invoice struct {
	state State
	lines []int64
	total int64
	doc   string
}

// Printer produces the document of an invoice.
type Printer interface {
	Print(ctx context.Context, id string, total int64) (doc string, err error)
}

// Desk holds the invoices of one tenant.
type Desk struct {
	printer Printer

	mu  sync.Mutex
	inv map[string]*invoice
}

// NewDesk returns a desk without invoices.
func NewDesk(p Printer) *Desk {
	return &Desk{printer: p, inv: make(map[string]*invoice)}
}

// AddLine adds a position to a draft.
func (d *Desk) AddLine(id string, amount int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	in, ok := d.inv[id]
	if !ok {
		in = &invoice{}
		d.inv[id] = in
	}
	if in.state != Draft {
		return ErrState
	}
	in.lines = append(in.lines, amount)
	return nil
}

// Finalise prints a draft and freezes it.
func (d *Desk) Finalise(ctx context.Context, id string) (string, error) {
	d.mu.Lock()
	in, ok := d.inv[id]
	if !ok {
		d.mu.Unlock()
		return "", ErrNotFound
	}
	if in.state != Draft {
		d.mu.Unlock()
		return "", ErrState
	}
	in.state = Finalising
	var total int64
	for _, l := range in.lines {
		total += l
	}
	d.mu.Unlock()

	doc, err := d.printer.Print(ctx, id, total)

	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		in.state = Draft
		return "", fmt.Errorf("print %s: %w", id, err)
	}
	in.state = Final
	in.total = total
	in.doc = doc
	slog.Info("invoice final", "id", id, "total", total)
	return doc, nil
}

// Document returns the document of a final invoice.
func (d *Desk) Document(id string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in, ok := d.inv[id]
	if !ok || in.state != Final {
		return "", ErrNotFound
	}
	return in.doc, nil
}
