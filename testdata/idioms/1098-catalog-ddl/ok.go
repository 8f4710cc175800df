// Correct: everything that changes the catalog holds ddl from the first look
// to the last write. The sections of mu inside are there for readers, who
// need not wait while tables are made or dropped on disk.
package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

var (
	ErrExists  = errors.New("table exists")
	ErrMissing = errors.New("no such table")
)

// Table is an entry of the catalog.
type Table struct {
	ID      uint64
	Name    string
	Columns []string
}

// Disk keeps the tables' files.
type Disk interface {
	Create(id uint64, columns []string) error
	Drop(id uint64) error
}

// Catalog knows the tables by name.
type Catalog struct {
	disk Disk

	ddl sync.Mutex // serialises changes

	mu     sync.RWMutex
	nextID uint64
	tables map[string]Table
}

// New returns an empty catalog.
func New(disk Disk) *Catalog {
	return &Catalog{disk: disk, tables: make(map[string]Table)}
}

// Lookup finds a table.
func (c *Catalog) Lookup(name string) (Table, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t, ok := c.tables[name]
	return t, ok
}

// Names lists the tables.
func (c *Catalog) Names() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Sorted(maps.Keys(c.tables))
}

func (c *Catalog) peekID() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.nextID
}

func (c *Catalog) install(t Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables[t.Name] = t
	c.nextID = max(c.nextID, t.ID+1)
}

func (c *Catalog) forget(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tables, name)
}

// change runs fn as the only change of the catalog.
func (c *Catalog) change(fn func() error) error {
	c.ddl.Lock()
	defer c.ddl.Unlock()
	return fn()
}

// Create makes a table.
func (c *Catalog) Create(name string, columns ...string) error {
	return c.change(func() error {
		if _, ok := c.Lookup(name); ok {
			return fmt.Errorf("%w: %s", ErrExists, name)
		}
		t := Table{ID: c.peekID(), Name: name, Columns: slices.Clone(columns)}
		if err := c.disk.Create(t.ID, t.Columns); err != nil {
			return err
		}
		c.install(t)
		return nil
	})
}

// Drop removes a table. The table is gone even if files of it are left over.
func (c *Catalog) Drop(name string) error {
	return c.change(func() error {
		t, ok := c.Lookup(name)
		if !ok {
			return fmt.Errorf("%w: %s", ErrMissing, name)
		}
		c.forget(name)
		return c.disk.Drop(t.ID)
	})
}

// AddColumn adds a column to a table's description.
func (c *Catalog) AddColumn(name, column string) error {
	return c.change(func() error {
		t, ok := c.Lookup(name)
		if !ok {
			return fmt.Errorf("%w: %s", ErrMissing, name)
		}
		if slices.Contains(t.Columns, column) {
			return nil
		}
		t.Columns = append(slices.Clone(t.Columns), column)
		c.install(t)
		return nil
	})
}
