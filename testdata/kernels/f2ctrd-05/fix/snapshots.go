// Package fix manages directories that belong to records of a small database.
package fix

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

var (
	errExists   = errors.New("record exists")
	errMissing  = errors.New("record not found")
	errReadOnly = errors.New("transaction is read-only")
)

// catalog is a tiny transactional store. Readers see the last committed
// state; there is one writer at a time.
type catalog struct {
	writer sync.Mutex
	seq    uint64 // guarded by writer

	mu   sync.RWMutex
	recs map[string]string // name -> id
}

type tx struct {
	c        *catalog
	writable bool
	done     bool
	recs     map[string]string
}

func (c *catalog) begin(writable bool) *tx {
	if writable {
		c.writer.Lock()
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return &tx{c: c, writable: writable, recs: maps.Clone(c.recs)}
}

func (t *tx) commit() error {
	if !t.writable {
		return errReadOnly
	}
	t.c.mu.Lock()
	t.c.recs = t.recs
	t.c.mu.Unlock()
	t.done = true
	t.c.writer.Unlock()
	return nil
}

func (t *tx) rollback() {
	if t.done {
		return
	}
	t.done = true
	if t.writable {
		t.c.writer.Unlock()
	}
}

func (t *tx) add(name string) (string, error) {
	if !t.writable {
		return "", errReadOnly
	}
	if _, ok := t.recs[name]; ok {
		return "", errExists
	}
	t.c.seq++
	id := strconv.FormatUint(t.c.seq, 10)
	t.recs[name] = id
	return id, nil
}

func (t *tx) drop(name string) error {
	if _, ok := t.recs[name]; !ok {
		return errMissing
	}
	delete(t.recs, name)
	return nil
}

func (t *tx) ids() map[string]bool {
	out := make(map[string]bool, len(t.recs))
	for _, id := range t.recs {
		out[id] = true
	}
	return out
}

// Volumes keeps one directory per record.
type Volumes struct {
	root string
	cat  *catalog
}

// Open returns the volumes below root.
func Open(root string) (*Volumes, error) {
	if err := os.MkdirAll(filepath.Join(root, "vols"), 0o700); err != nil {
		return nil, err
	}
	return &Volumes{root: root, cat: &catalog{recs: make(map[string]string)}}, nil
}

func (v *Volumes) dir(id string) string { return filepath.Join(v.root, "vols", id) }

// Create makes a volume and returns its directory.
func (v *Volumes) Create(name string) (_ string, err error) {
	t := v.cat.begin(true)
	defer t.rollback()
	id, err := t.add(name)
	if err != nil {
		return "", err
	}
	path := v.dir(id)
	if err := os.MkdirAll(filepath.Join(path, "data"), 0o755); err != nil {
		os.RemoveAll(path)
		return "", err
	}
	return path, t.commit()
}

// Path returns the directory of a volume.
func (v *Volumes) Path(name string) (string, error) {
	t := v.cat.begin(false)
	defer t.rollback()
	id, ok := t.recs[name]
	if !ok {
		return "", errMissing
	}
	return v.dir(id), nil
}

// Remove forgets a volume. Its directory is removed by Sweep.
func (v *Volumes) Remove(name string) error {
	t := v.cat.begin(true)
	defer t.rollback()
	if err := t.drop(name); err != nil {
		return err
	}
	return t.commit()
}

// Sweep removes the directories that belong to no volume.
func (v *Volumes) Sweep() error {
	dirs, err := v.garbage()
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if err := os.RemoveAll(d); err != nil {
			return err
		}
	}
	return nil
}

func (v *Volumes) garbage() ([]string, error) {
	// No directory is made while a write transaction is open.
	t := v.cat.begin(true)
	defer t.rollback()
	used := t.ids()
	ents, err := os.ReadDir(filepath.Join(v.root, "vols"))
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range ents {
		if !used[e.Name()] {
			dirs = append(dirs, v.dir(e.Name()))
		}
	}
	return dirs, nil
}
