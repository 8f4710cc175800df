package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

type Hash [32]byte

var ErrSnapshotStale = errors.New("snapshot stale")

type filter map[Hash]struct{}

// diskLayer is a low level persistent snapshot built on top of a key-value store.
type diskLayer struct {
	get func(Hash) ([]byte, error)

	lock  sync.RWMutex
	stale bool
}

func (dl *diskLayer) AccountRLP(hash Hash) ([]byte, error) {
	dl.lock.RLock()
	defer dl.lock.RUnlock()

	// If the layer was flattened into, consider it invalid (any live reference to
	// the original should be marked as unusable).
	if dl.stale {
		return nil, ErrSnapshotStale
	}
	return dl.get(hash)
}

func (dl *diskLayer) markStale() {
	dl.lock.Lock()
	defer dl.lock.Unlock()
	dl.stale = true
}

type diffLayer struct {
	origin *diskLayer // Base disk layer to directly use on bloom misses
	parent *diffLayer // Layer modified by this one, nil if that is origin
	stale  atomic.Bool

	accountData map[Hash][]byte
	diffed      filter // Filter tracking all the diffed items up to the disk layer

	lock sync.RWMutex
}

// Stale return whether this layer has become stale (was flattened across) or if
// it's still live.
func (dl *diffLayer) Stale() bool { return dl.stale.Load() }

// AccountRLP directly retrieves the account RLP associated with a particular
// hash in the snapshot slim data format.
//
// Note the returned account is not a copy, please don't modify it.
func (dl *diffLayer) AccountRLP(hash Hash) ([]byte, error) {
	dl.lock.RLock()
	// Check staleness before reaching further.
	if dl.Stale() {
		dl.lock.RUnlock()
		return nil, ErrSnapshotStale
	}
	// Check the bloom filter first whether there's even a point in reaching into
	// all the maps in all the layers below
	_, hit := dl.diffed[hash]
	var origin *diskLayer
	if !hit {
		origin = dl.origin // extract origin while holding the lock
	}
	dl.lock.RUnlock()

	// If the bloom filter misses, don't even bother with traversing the memory
	// diff layers, reach straight into the bottom persistent disk layer
	if origin != nil {
		return origin.AccountRLP(hash)
	}
	// The bloom filter hit, start poking in the internal maps
	return dl.accountRLP(hash)
}

func (dl *diffLayer) accountRLP(hash Hash) ([]byte, error) {
	dl.lock.RLock()
	defer dl.lock.RUnlock()

	if dl.Stale() {
		return nil, ErrSnapshotStale
	}
	if data, ok := dl.accountData[hash]; ok {
		return data, nil
	}
	if dl.parent != nil {
		return dl.parent.accountRLP(hash)
	}
	return dl.origin.AccountRLP(hash)
}

// rebloom discards the layer's current bloom and rebuilds it on top of a new base.
func (dl *diffLayer) rebloom(origin *diskLayer) {
	dl.lock.Lock()
	defer dl.lock.Unlock()

	dl.origin, dl.parent = origin, nil
	dl.diffed = make(filter)
	for hash := range dl.accountData {
		dl.diffed[hash] = struct{}{}
	}
}

// cap is called under the tree's lock after the bottom layer was written into a
// new disk layer; it moves the children, the topmost layers, onto that one.
func (dl *diffLayer) cap(base *diskLayer, children []*diffLayer) {
	dl.lock.Lock()
	dl.stale.Store(true)
	old := dl.origin
	dl.lock.Unlock()

	old.markStale()
	for _, child := range children {
		child.rebloom(base)
	}
}
