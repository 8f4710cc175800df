// Package a holds table schemas that change by versioned commits.
package a

import (
	"errors"
	"slices"
	"sync"
)

var (
	ErrNoTable  = errors.New("no such table")
	ErrNoColumn = errors.New("no such column")
	ErrExists   = errors.New("column exists")
)

// Schema is one version of a table. It is not modified once stored.
type Schema struct {
	Version uint64
	Columns []string
}

// Catalog has the current schema of every table.
type Catalog struct {
	mu     sync.RWMutex
	tables map[string]Schema
}

func NewCatalog() *Catalog { return &Catalog{tables: make(map[string]Schema)} }

// CreateTable adds a table unless there is one of that name.
func (c *Catalog) CreateTable(name string, columns ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.tables[name]; ok {
		return false
	}
	c.tables[name] = Schema{Version: 1, Columns: slices.Clone(columns)}
	return true
}

func (c *Catalog) current(name string) (Schema, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.tables[name]
	return s, ok
}

// commit installs columns if the table still has the given version.
func (c *Catalog) commit(name string, base uint64, columns []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables[name].Version != base {
		return false
	}
	c.tables[name] = Schema{Version: base + 1, Columns: columns}
	return true
}

// alter computes new columns from the current ones and retries when
// another change was first.
func (c *Catalog) alter(name string, change func(cols []string) ([]string, error)) error {
	for {
		s, ok := c.current(name)
		if !ok {
			return ErrNoTable
		}
		cols, err := change(slices.Clone(s.Columns))
		if err != nil {
			return err
		}
		if c.commit(name, s.Version, cols) {
			return nil
		}
	}
}

// AddColumn appends a column.
func (c *Catalog) AddColumn(table, column string) error {
	return c.alter(table, func(cols []string) ([]string, error) {
		if slices.Contains(cols, column) {
			return nil, ErrExists
		}
		return append(cols, column), nil
	})
}

// DropColumn removes a column.
func (c *Catalog) DropColumn(table, column string) error {
	return c.alter(table, func(cols []string) ([]string, error) {
		i := slices.Index(cols, column)
		if i < 0 {
			return nil, ErrNoColumn
		}
		return slices.Delete(cols, i, i+1), nil
	})
}

// Columns returns the columns of a table.
func (c *Catalog) Columns(table string) []string {
	s, _ := c.current(table)
	return slices.Clone(s.Columns)
}
