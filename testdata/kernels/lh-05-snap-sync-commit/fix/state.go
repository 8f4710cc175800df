package core

import (
	"errors"
	"sync"
)

var errDatabaseWaitSync = errors.New("waiting for sync")

// trieDatabase keeps one disk layer and the diff layers on top of it.
type trieDatabase struct {
	lock     sync.RWMutex
	disk     Hash
	layers   map[Hash]Hash // root => parent root
	waitSync bool
}

func newTrieDatabase(root Hash) *trieDatabase {
	return &trieDatabase{disk: root, layers: make(map[Hash]Hash)}
}

func (db *trieDatabase) has(root Hash) bool {
	db.lock.RLock()
	defer db.lock.RUnlock()
	if db.waitSync {
		return false
	}
	_, ok := db.layers[root]
	return ok || root == db.disk
}

// update adds a new layer into the tree.
func (db *trieDatabase) update(root, parent Hash) error {
	db.lock.Lock()
	defer db.lock.Unlock()
	if db.waitSync {
		return errDatabaseWaitSync
	}
	db.layers[root] = parent
	return nil
}

// recover rolls back the database to a historical state. The states above it
// are dropped.
func (db *trieDatabase) recover(root Hash) error {
	db.lock.Lock()
	defer db.lock.Unlock()
	if db.waitSync {
		return errDatabaseWaitSync
	}
	db.disk = root
	db.layers = make(map[Hash]Hash)
	return nil
}

// disable deactivates the database and invalidates all available state layers
// as stale to prevent access to the persistent state.
func (db *trieDatabase) disable() {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.waitSync = true
	db.layers = make(map[Hash]Hash)
}

// enable activates database and resets the state tree with the provided persistent
// state root once the state sync is finished.
func (db *trieDatabase) enable(root Hash) error {
	db.lock.Lock()
	defer db.lock.Unlock()
	if !db.waitSync {
		return errors.New("not in sync")
	}
	db.waitSync = false
	db.disk = root
	db.layers = make(map[Hash]Hash)
	return nil
}

// snapshotTree is an Ethereum state snapshot tree.
type snapshotTree struct {
	lock   sync.RWMutex
	layers map[Hash]Hash
}

func newSnapshotTree(root Hash) *snapshotTree {
	return &snapshotTree{layers: map[Hash]Hash{root: {}}}
}

func (t *snapshotTree) update(root, parent Hash) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if _, ok := t.layers[parent]; ok {
		t.layers[root] = parent
	}
}

func (t *snapshotTree) disable() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.layers = make(map[Hash]Hash)
}

// rebuild wipes all available snapshot data and generates it for the given root.
func (t *snapshotTree) rebuild(root Hash) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.layers = map[Hash]Hash{root: {}}
}
