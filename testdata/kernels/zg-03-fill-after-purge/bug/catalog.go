// Package catalog serves product rows from memory. Rows are read through from
// the database on first use and stay cached until the change stream reports
// that they have been written.
package catalog

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/atomvet/atomvet/testdata/kernels/zg-03-fill-after-purge/bug/shard"
)

// ErrNotFound is returned by a Database for an unknown SKU.
var ErrNotFound = errors.New("catalog: no such product")

// Row is one product. Rows are shared and must not be changed.
type Row struct {
	SKU   string
	Title string
	Cents int64
	Stock int
}

// Database is where the rows live.
type Database interface {
	Product(ctx context.Context, sku string) (*Row, error)
}

// Change says that a row was written or removed. It is delivered after the
// transaction has become visible to readers.
type Change struct {
	SKU string
}

// Catalog is a read-through cache; all methods may be called concurrently.
type Catalog struct {
	db   Database
	rows *shard.Map[*Row]
	gone chan struct{}

	hits, misses atomic.Int64
}

// New returns a catalog that follows changes. The channel has to stay open for
// as long as the catalog is in use.
func New(db Database, changes <-chan Change) *Catalog {
	c := &Catalog{db: db, rows: shard.New[*Row](), gone: make(chan struct{})}
	go c.follow(changes)
	return c
}

func (c *Catalog) follow(changes <-chan Change) {
	defer close(c.gone)
	for ch := range changes {
		c.rows.Delete(ch.SKU)
	}
}

// Get returns the row of one product.
func (c *Catalog) Get(ctx context.Context, sku string) (*Row, error) {
	if row, ok := c.rows.Get(sku); ok {
		c.hits.Add(1)
		return row, nil
	}
	c.misses.Add(1)
	return c.fill(ctx, sku)
}

func (c *Catalog) fill(ctx context.Context, sku string) (*Row, error) {
	row, err := c.db.Product(ctx, sku)
	if err != nil {
		return nil, err
	}
	c.rows.Set(sku, row)
	return row, nil
}

// GetMany returns the rows of those products that exist.
func (c *Catalog) GetMany(ctx context.Context, skus []string) (map[string]*Row, error) {
	rows := make(map[string]*Row, len(skus))
	for _, sku := range skus {
		row, err := c.Get(ctx, sku)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows[sku] = row
	}
	return rows, nil
}

// Stats returns the hits, the misses and the number of cached rows.
func (c *Catalog) Stats() (hits, misses int64, size int) {
	return c.hits.Load(), c.misses.Load(), c.rows.Len()
}

// Done is closed when the change stream has ended.
func (c *Catalog) Done() <-chan struct{} { return c.gone }
