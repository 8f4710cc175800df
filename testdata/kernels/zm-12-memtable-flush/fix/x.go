package fix

import (
	"slices"
	"sync"
)

type cell struct {
	val  string
	gone bool
}

type sstable struct {
	keys  []string
	cells []cell
}

func build(m map[string]cell) *sstable {
	t := &sstable{}
	for k := range m {
		t.keys = append(t.keys, k)
	}
	slices.Sort(t.keys)
	for _, k := range t.keys {
		t.cells = append(t.cells, m[k])
	}
	return t
}

func (t *sstable) find(key string) (cell, bool) {
	i, ok := slices.BinarySearch(t.keys, key)
	if !ok {
		return cell{}, false
	}
	return t.cells[i], true
}

// Engine is a store with a memtable, one memtable on its way to disk, and
// tables.
type Engine struct {
	limit int

	flushing sync.Mutex

	mu     sync.RWMutex
	active map[string]cell
	frozen map[string]cell

	tabMu  sync.RWMutex
	tables []*sstable // oldest first
}

func NewEngine(limit int) *Engine {
	return &Engine{limit: limit, active: make(map[string]cell)}
}

func (e *Engine) set(key string, c cell) {
	e.mu.Lock()
	e.active[key] = c
	full := len(e.active) >= e.limit
	e.mu.Unlock()
	if full {
		go e.Flush()
	}
}

// Put stores a value.
func (e *Engine) Put(key, val string) { e.set(key, cell{val: val}) }

// Delete removes a key.
func (e *Engine) Delete(key string) { e.set(key, cell{gone: true}) }

func (e *Engine) inMemory(key string) (cell, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if c, ok := e.active[key]; ok {
		return c, true
	}
	c, ok := e.frozen[key]
	return c, ok
}

func (e *Engine) onDisk(key string) (cell, bool) {
	e.tabMu.RLock()
	defer e.tabMu.RUnlock()
	for i := len(e.tables) - 1; i >= 0; i-- {
		if c, ok := e.tables[i].find(key); ok {
			return c, true
		}
	}
	return cell{}, false
}

// Get returns the last value stored.
func (e *Engine) Get(key string) (string, bool) {
	c, ok := e.inMemory(key)
	if !ok {
		c, ok = e.onDisk(key)
	}
	if !ok || c.gone {
		return "", false
	}
	return c.val, true
}

func (e *Engine) freeze() map[string]cell {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.active) == 0 {
		return nil
	}
	e.frozen = e.active
	e.active = make(map[string]cell)
	return e.frozen
}

func (e *Engine) thaw() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frozen = nil
}

func (e *Engine) link(t *sstable) {
	e.tabMu.Lock()
	defer e.tabMu.Unlock()
	e.tables = append(e.tables, t)
}

// Flush writes the memtable to a new table.
func (e *Engine) Flush() {
	e.flushing.Lock()
	defer e.flushing.Unlock()
	m := e.freeze()
	if m == nil {
		return
	}
	t := build(m)
	e.link(t)
	e.thaw()
}
