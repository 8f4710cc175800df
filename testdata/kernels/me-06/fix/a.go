package a

import "sync"

// Store is the disk below a table.
type Store interface {
	Load(key string) (string, error)
	Save(key, row string) error
}

// Table serves rows from a cache over the store.
type Table struct {
	store Store
	limit int

	mu      sync.Mutex
	rows    map[string]string
	changes uint64
	hits    uint64
	misses  uint64
}

// NewTable returns a table that caches up to limit rows.
func NewTable(s Store, limit int) *Table {
	return &Table{store: s, limit: limit, rows: make(map[string]string)}
}

// Get returns the row under key.
func (t *Table) Get(key string) (string, error) {
	t.mu.Lock()
	if row, ok := t.rows[key]; ok {
		t.hits++
		t.mu.Unlock()
		return row, nil
	}
	t.misses++
	seen := t.changes
	t.mu.Unlock()

	row, err := t.store.Load(key)
	if err != nil {
		return "", err
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changes == seen {
		t.makeRoom()
		t.rows[key] = row
	}
	return row, nil
}

// Put writes the row to the store; the cache picks it up on the next Get.
func (t *Table) Put(key, row string) error {
	if err := t.store.Save(key, row); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rows, key)
	t.changes++
	return nil
}

// Ratio reports the cache hits, the misses and the number of writes.
func (t *Table) Ratio() (hits, misses, writes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hits, t.misses, t.changes
}

func (t *Table) makeRoom() {
	for k := range t.rows {
		if len(t.rows) < t.limit {
			return
		}
		delete(t.rows, k)
	}
}
