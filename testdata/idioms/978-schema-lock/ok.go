// Package schema is the catalog of a database: tables, and indexes on them.
package schema

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	ErrExists   = errors.New("schema: already exists")
	ErrNotFound = errors.New("schema: not found")
	ErrInUse    = errors.New("schema: still in use")
)

// registry is a named set that can be read at any time.
type registry[T any] struct {
	mu sync.RWMutex
	m  map[string]T
}

func (r *registry[T]) get(name string) (T, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	v, ok := r.m[name]
	return v, ok
}

func (r *registry[T]) put(name string, v T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = make(map[string]T)
	}
	r.m[name] = v
}

func (r *registry[T]) remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.m, name)
}

func (r *registry[T]) names(match func(T) bool) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []string
	for n, v := range r.m {
		if match(v) {
			out = append(out, n)
		}
	}
	return out
}

// Table and Index describe the entries; they are values and never change.
type (
	Table struct {
		Columns []string
		Expires time.Time // zero unless temporary
	}
	Index struct {
		Table  string
		Column string
	}
)

// Catalog is safe for concurrent use. Statements that change the schema run one
// at a time, under ddl; queries look single names up without waiting for them.
type Catalog struct {
	ddl     sync.RWMutex
	tables  registry[Table]
	indexes registry[Index]
}

// Open returns an empty catalog that drops temporary tables until stop is
// closed.
func Open(every time.Duration, stop <-chan struct{}) *Catalog {
	c := new(Catalog)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				c.dropExpired(now)
			case <-stop:
				return
			}
		}
	}()
	return c
}

// Table looks a table up.
func (c *Catalog) Table(name string) (Table, bool) { return c.tables.get(name) }

// Index looks an index up.
func (c *Catalog) Index(name string) (Index, bool) { return c.indexes.get(name) }

// CreateTable adds a table.
func (c *Catalog) CreateTable(name string, t Table) error {
	c.ddl.Lock()
	defer c.ddl.Unlock()
	if _, ok := c.tables.get(name); ok {
		return fmt.Errorf("table %s: %w", name, ErrExists)
	}
	c.tables.put(name, t)
	return nil
}

// CreateIndex adds an index on a table that exists.
func (c *Catalog) CreateIndex(name string, x Index) error {
	c.ddl.Lock()
	defer c.ddl.Unlock()
	if _, ok := c.tables.get(x.Table); !ok {
		return fmt.Errorf("table %s: %w", x.Table, ErrNotFound)
	}
	if _, ok := c.indexes.get(name); ok {
		return fmt.Errorf("index %s: %w", name, ErrExists)
	}
	c.indexes.put(name, x)
	return nil
}

// DropTable removes a table, with its indexes if cascade is set.
func (c *Catalog) DropTable(name string, cascade bool) error {
	c.ddl.Lock()
	defer c.ddl.Unlock()
	return c.drop(name, cascade)
}

// drop is DropTable for callers that hold ddl.
func (c *Catalog) drop(name string, cascade bool) error {
	if _, ok := c.tables.get(name); !ok {
		return fmt.Errorf("table %s: %w", name, ErrNotFound)
	}
	on := c.indexes.names(func(x Index) bool { return x.Table == name })
	if len(on) > 0 && !cascade {
		return fmt.Errorf("table %s: %w by %v", name, ErrInUse, on)
	}
	for _, n := range on {
		c.indexes.remove(n)
	}
	c.tables.remove(name)
	return nil
}

func (c *Catalog) dropExpired(now time.Time) {
	c.ddl.Lock()
	defer c.ddl.Unlock()
	for _, n := range c.tables.names(func(t Table) bool {
		return !t.Expires.IsZero() && t.Expires.Before(now)
	}) {
		_ = c.drop(n, true)
	}
}

// Describe returns a table and the names of its indexes.
func (c *Catalog) Describe(name string) (Table, []string, error) {
	c.ddl.RLock()
	defer c.ddl.RUnlock()
	t, ok := c.tables.get(name)
	if !ok {
		return Table{}, nil, fmt.Errorf("table %s: %w", name, ErrNotFound)
	}
	return t, c.indexes.names(func(x Index) bool { return x.Table == name }), nil
}
