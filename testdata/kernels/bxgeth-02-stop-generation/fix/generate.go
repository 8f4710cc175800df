package fix

import "sync"

// generateSnapshot starts to build a layer.
func generateSnapshot(db Database, root string) *diskLayer {
	base := &diskLayer{
		diskdb:     db,
		cache:      &cache{m: make(map[string][]byte)},
		root:       root,
		genMarker:  []byte{}, // Initialized but empty!
		genPending: make(chan struct{}),
		cancel:     make(chan struct{}),
		done:       make(chan struct{}),
	}
	go base.generate(&generatorStats{})
	return base
}

// generate is a background thread that iterates over the accounts.
func (dl *diskLayer) generate(stats *generatorStats) {
	defer close(dl.done)
	var marker []byte
	for {
		select {
		case <-dl.cancel:
			return
		default:
		}
		key, val, err := dl.diskdb.Next(marker)
		if err == nil && key != nil {
			err = dl.diskdb.Write(key, val)
		}
		if err != nil {
			stats.err = err
			return
		}
		if key == nil {
			break
		}
		stats.accounts++
		marker = key
		dl.lock.Lock()
		dl.genMarker = key
		dl.lock.Unlock()
	}
	// Snapshot fully generated, set the marker to nil.
	dl.lock.Lock()
	dl.genMarker = nil
	close(dl.genPending)
	dl.lock.Unlock()
}

// Tree holds the current layer.
type Tree struct {
	db   Database
	lock sync.RWMutex
	base *diskLayer
}

func (t *Tree) disklayer() *diskLayer {
	t.lock.RLock()
	defer t.lock.RUnlock()
	return t.base
}

// Disable interrupts any pending snapshot generator and marks the layer stale.
func (t *Tree) Disable() {
	if base := t.disklayer(); base != nil {
		base.stopGeneration()
		base.markStale()
	}
}

// Rebuild starts over with another root.
func (t *Tree) Rebuild(root string) {
	if base := t.disklayer(); base != nil {
		base.stopGeneration()
		base.markStale()
		base.Release()
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	t.base = generateSnapshot(t.db, root)
}
