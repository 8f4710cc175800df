// Package fix keeps catalog rows with a unique index over their names.
package fix

import (
	"errors"
	"fmt"
	"sync"
)

var (
	ErrNotFound = errors.New("catalog: not found")
	ErrExists   = errors.New("catalog: name taken")
)

// Row describes one table of the catalog.
type Row struct {
	ID      uint64
	Name    string
	Columns []string
	Rev     int
}

// unique maps keys to row ids. It has its own lock because name look-ups must
// not wait for long scans of the rows.
type unique[K comparable] struct {
	mu  sync.RWMutex
	ids map[K]uint64
}

func (u *unique[K]) insert(k K, id uint64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, taken := u.ids[k]; taken {
		return fmt.Errorf("%w: %v", ErrExists, k)
	}
	u.ids[k] = id
	return nil
}

func (u *unique[K]) remove(k K) {
	u.mu.Lock()
	delete(u.ids, k)
	u.mu.Unlock()
}

func (u *unique[K]) get(k K) (uint64, bool) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	id, ok := u.ids[k]
	return id, ok
}

// Catalog is shared by all sessions.
type Catalog struct {
	names unique[string]

	mu   sync.RWMutex
	rows map[uint64]Row
	last uint64
}

func New() *Catalog {
	return &Catalog{rows: make(map[uint64]Row), names: unique[string]{ids: make(map[string]uint64)}}
}

// Resolve gives the id of a name.
func (c *Catalog) Resolve(name string) (uint64, bool) { return c.names.get(name) }

// Get gives a row by its id.
func (c *Catalog) Get(id uint64) (Row, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	r, ok := c.rows[id]
	return r, ok
}

// Scan calls fn for all rows until it returns false.
func (c *Catalog) Scan(fn func(Row) bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range c.rows {
		if !fn(r) {
			return
		}
	}
}

// Create adds a table.
func (c *Catalog) Create(name string, columns ...string) (Row, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.last + 1
	if err := c.names.insert(name, id); err != nil {
		return Row{}, err
	}
	c.last = id
	r := Row{ID: id, Name: name, Columns: columns, Rev: 1}
	c.rows[id] = r
	return r, nil
}

// Drop removes a table.
func (c *Catalog) Drop(id uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.rows[id]
	if !ok {
		return ErrNotFound
	}
	delete(c.rows, id)
	c.names.remove(r.Name)
	return nil
}

// Rename gives a table another name.
func (c *Catalog) Rename(id uint64, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.rows[id]
	if !ok {
		return ErrNotFound
	}
	if r.Name == name {
		return nil
	}
	if err := c.names.insert(name, id); err != nil {
		return err
	}
	old := r.Name
	r.Name = name
	r.Rev++
	c.rows[id] = r
	c.names.remove(old)
	return nil
}
