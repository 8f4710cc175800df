package a

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"sync/atomic"
)

// RowError says which row of the file is bad.
type RowError struct {
	Row int
	Err error
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.Row, e.Err) }
func (e *RowError) Unwrap() error { return e.Err }

// group runs functions at the same time, limit of them at most. The first
// failure stops the others and is what Wait returns; onFail is called for it.
type group struct {
	ctx    context.Context
	cancel context.CancelFunc
	onFail func(error)
	slots  chan struct{}
	wg     sync.WaitGroup

	mu  sync.Mutex
	err error
}

func newGroup(ctx context.Context, limit int, onFail func(error)) *group {
	g := &group{onFail: onFail, slots: make(chan struct{}, limit)}
	g.ctx, g.cancel = context.WithCancel(ctx)
	return g
}

func (g *group) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *group) setFailure(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err = err
}

// Go starts f when a slot is free. It returns false when the group has ended.
func (g *group) Go(f func(ctx context.Context) error) bool {
	select {
	case g.slots <- struct{}{}:
	case <-g.ctx.Done():
		return false
	}
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		defer func() { <-g.slots }()
		if err := f(g.ctx); err != nil {
			g.fail(err)
		}
	}()
	return true
}

func (g *group) fail(err error) {
	if g.failure() != nil {
		return
	}
	g.setFailure(err)
	g.cancel()
	g.onFail(err)
}

func (g *group) Wait() error {
	g.wg.Wait()
	g.cancel()
	return g.failure()
}

// Products takes the rows of a price list.
type Products interface {
	Upsert(ctx context.Context, importID string, fields []string) error
}

// Billing sells imports; a failed one is given back.
type Billing interface {
	Refund(customer, importID string, cents int64) error
}

// Importer loads price lists of merchants.
type Importer struct {
	Products Products
	Billing  Billing
	Fee      int64
	Parallel int

	imported atomic.Int64
	failed   atomic.Int64
}

// Import reads the file and returns the number of its rows. The fee is
// refunded once if the import fails.
func (im *Importer) Import(ctx context.Context, customer, id string, file io.Reader) (int, error) {
	g := newGroup(ctx, max(im.Parallel, 1), func(err error) {
		im.failed.Add(1)
		if rerr := im.Billing.Refund(customer, id, im.Fee); rerr != nil {
			log.Printf("import %s: no refund: %v", id, rerr)
		}
	})
	r := csv.NewReader(file)
	row := 0
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		row++
		at := row
		more := g.Go(func(ctx context.Context) error {
			if err != nil {
				return &RowError{Row: at, Err: err}
			}
			if err := im.Products.Upsert(ctx, id, fields); err != nil {
				return &RowError{Row: at, Err: err}
			}
			im.imported.Add(1)
			return nil
		})
		if !more {
			g.fail(ctx.Err())
			break
		}
		if err != nil {
			break
		}
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	return row, nil
}

// Stats tells how many rows came in and how many imports failed.
func (im *Importer) Stats() (rows, failed int64) {
	return im.imported.Load(), im.failed.Load()
}
