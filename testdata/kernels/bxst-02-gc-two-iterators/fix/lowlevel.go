// Package fix stores files and the lists of their blocks.
package fix

import (
	"bytes"
	"sync"
	"time"

	"github.com/atomvet/atomvet/testdata/kernels/bxst-02-gc-two-iterators/fix/backend"
)

const (
	keyTypeDevice    = 'd'
	keyTypeBlockList = 'b'
	keyTypeMisc      = 'm'
)

// Lowlevel is safe for concurrent use.
type Lowlevel struct {
	backend.Backend
	gcMut      sync.RWMutex // held for reading while files change
	gcStop     chan struct{}
	gcInterval time.Duration

	statMut    sync.Mutex
	gcKeyCount int
}

func fileKey(name string) []byte { return append([]byte{keyTypeDevice}, name...) }

func blockListKey(hash []byte) []byte { return append([]byte{keyTypeBlockList}, hash...) }

// UpdateFile stores a file and its blocks.
func (db *Lowlevel) UpdateFile(name string, hash, blocks []byte) error {
	db.gcMut.RLock()
	defer db.gcMut.RUnlock()
	return db.putFile(name, hash, blocks)
}

func (db *Lowlevel) putFile(name string, hash, blocks []byte) error {
	t := db.NewWriteTransaction()
	defer t.Release()
	t.Put(blockListKey(hash), blocks)
	t.Put(fileKey(name), hash)
	return t.Commit()
}

func (db *Lowlevel) gcRunner() {
	t := time.NewTicker(db.gcInterval)
	defer t.Stop()
	for {
		select {
		case <-db.gcStop:
			return
		case <-t.C:
			db.gcIndirect()
		}
	}
}

// gcIndirect deletes block lists without a file.
func (db *Lowlevel) gcIndirect() error {
	db.gcMut.Lock()
	defer db.gcMut.Unlock()

	t := db.NewWriteTransaction()
	defer t.Release()

	// Iterate the files and remember their hashes.
	used := make(map[string]bool)
	it := t.NewPrefixIterator([]byte{keyTypeDevice})
	for it.Next() {
		if len(it.Value()) > 0 {
			used[string(it.Value())] = true
		}
	}
	it.Release()

	// Iterate over block lists, removing keys with hashes that don't match.
	it = t.NewPrefixIterator([]byte{keyTypeBlockList})
	matched := 0
	for it.Next() {
		if used[string(it.Key()[1:])] {
			matched++
			continue
		}
		t.Delete(bytes.Clone(it.Key()))
	}
	it.Release()

	db.statMut.Lock()
	db.gcKeyCount = matched
	db.statMut.Unlock()
	return t.Commit()
}

type schemaUpdater struct {
	*Lowlevel
	split func(file []byte) (hash, blocks []byte)
}

// updateSchema moves blocks out of the files. It runs after the database was
// opened, in parallel with its users.
func (db *schemaUpdater) updateSchema() error {
	// Updating the schema can touch any and all parts of the database. Make
	// sure we do not run GC concurrently with schema migrations.
	db.gcMut.Lock()
	defer db.gcMut.Unlock()

	if v, ok := db.Get([]byte{keyTypeMisc, 'v'}); ok && v[0] >= 2 {
		return nil
	}
	it := db.NewPrefixIterator([]byte{keyTypeDevice})
	defer it.Release()
	for it.Next() {
		hash, blocks := db.split(it.Value())
		if err := db.putFile(string(it.Key()[1:]), hash, blocks); err != nil {
			return err
		}
	}
	t := db.NewWriteTransaction()
	defer t.Release()
	t.Put([]byte{keyTypeMisc, 'v'}, []byte{2})
	return t.Commit()
}
