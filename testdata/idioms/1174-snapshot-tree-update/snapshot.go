package snapshot

import (
	"errors"
	"fmt"
	"sync"
)

// Hash of a state
type Hash [32]byte

var errSnapshotCycle = errors.New("snapshot cycle")

// layer is one level of the tree. A layer is never changed once it is linked.
type layer struct {
	parent   *layer
	root     Hash
	accounts map[Hash][]byte
}

// Account retrieves the account associated with a particular hash.
func (l *layer) Account(hash Hash) []byte {
	for ; l != nil; l = l.parent {
		if data, ok := l.accounts[hash]; ok {
			return data
		}
	}
	return nil
}

// Update creates a new layer on top of the existing snapshot tree with the given accounts.
func (l *layer) Update(blockRoot Hash, accounts map[Hash][]byte) *layer {
	return &layer{parent: l, root: blockRoot, accounts: accounts}
}

// Tree is an Ethereum state snapshot tree. Update and Cap have to be called
// by one goroutine at a time, the other methods are safe for concurrent use.
type Tree struct {
	layers map[Hash]*layer // Collection of all known layers
	lock   sync.RWMutex
}

// Snapshot retrieves a snapshot belonging to the given block root, or nil if no
// snapshot is maintained for that block.
func (t *Tree) Snapshot(blockRoot Hash) *layer {
	t.lock.RLock()
	defer t.lock.RUnlock()

	return t.layers[blockRoot]
}

// Update adds a new snapshot into the tree, if that can be linked to an existing
// old parent. It is disallowed to insert a disk layer (the origin of all).
func (t *Tree) Update(blockRoot Hash, parentRoot Hash, accounts map[Hash][]byte) error {
	// Reject noop updates to avoid self-loops in the snapshot tree.
	if blockRoot == parentRoot {
		return errSnapshotCycle
	}
	// Generate a new snapshot on top of the parent
	parent := t.Snapshot(parentRoot)
	if parent == nil {
		return fmt.Errorf("parent [%#x] snapshot missing", parentRoot)
	}
	snap := parent.Update(blockRoot, accounts)

	// Save the new snapshot for later
	t.lock.Lock()
	defer t.lock.Unlock()

	t.layers[snap.root] = snap
	return nil
}

// Cap drops all layers that are not within the given number of levels below root.
func (t *Tree) Cap(root Hash, levels int) error {
	snap := t.Snapshot(root)
	if snap == nil {
		return fmt.Errorf("snapshot [%#x] missing", root)
	}
	keep := make(map[Hash]*layer)
	for ; snap != nil && levels >= 0; snap = snap.parent {
		keep[snap.root] = snap
		levels--
	}
	t.lock.Lock()
	defer t.lock.Unlock()

	for hash := range t.layers {
		if _, ok := keep[hash]; !ok {
			delete(t.layers, hash)
		}
	}
	return nil
}
