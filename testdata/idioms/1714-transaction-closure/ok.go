package a

import (
	"context"
	"errors"
	"fmt"
)

// ErrShort is returned when a bin holds less than asked for.
var ErrShort = errors.New("spares: not enough parts in the bin")

// Tx gives access to the bins. It is valid during the call of the function
// that it was passed to.
type Tx struct {
	counts map[string]int
}

// Count returns the number of parts in a bin.
func (tx *Tx) Count(bin string) int { return tx.counts[bin] }

// Set changes the number of parts in a bin.
func (tx *Tx) Set(bin string, n int) {
	if n == 0 {
		delete(tx.counts, bin)
		return
	}
	tx.counts[bin] = n
}

// Depot counts the spare parts of a workshop.
type Depot struct {
	turn   chan struct{} // has a token when nobody uses counts
	counts map[string]int
}

// NewDepot returns an empty depot.
func NewDepot() *Depot {
	d := &Depot{turn: make(chan struct{}, 1), counts: make(map[string]int)}
	d.turn <- struct{}{}
	return d
}

// with runs fn while nobody else uses the bins.
func (d *Depot) with(ctx context.Context, fn func(tx *Tx) error) error {
	select {
	case <-d.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.turn <- struct{}{} }()
	return fn(&Tx{counts: d.counts})
}

// Stock adds parts to a bin.
func (d *Depot) Stock(ctx context.Context, bin string, n int) error {
	if n <= 0 {
		return fmt.Errorf("spares: cannot stock %d parts", n)
	}
	return d.with(ctx, func(tx *Tx) error {
		tx.Set(bin, tx.Count(bin)+n)
		return nil
	})
}

// Move carries parts from one bin to another.
func (d *Depot) Move(ctx context.Context, from, to string, n int) error {
	if n <= 0 || from == to {
		return errors.New("spares: nothing to move")
	}
	return d.with(ctx, func(tx *Tx) error {
		have := tx.Count(from)
		if have < n {
			return fmt.Errorf("%w: %s has %d", ErrShort, from, have)
		}
		tx.Set(from, have-n)
		tx.Set(to, tx.Count(to)+n)
		return nil
	})
}

// Total returns the number of parts in all bins.
func (d *Depot) Total(ctx context.Context) (int, error) {
	sum := 0
	err := d.with(ctx, func(tx *Tx) error {
		for _, n := range tx.counts {
			sum += n
		}
		return nil
	})
	return sum, err
}
