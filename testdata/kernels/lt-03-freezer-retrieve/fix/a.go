package rawdb

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errClosed      = errors.New("closed")
	errOutOfBounds = errors.New("out of bounds")
)

type indexEntry struct {
	start, end uint32
}

type freezerTable struct {
	items      atomic.Uint64 // number of items stored, including the removed tail
	itemOffset atomic.Uint64 // items removed from the tail
	closed     atomic.Bool

	maxItems uint64

	lock  sync.RWMutex // protects index and data
	index []indexEntry
	data  []byte
}

func newFreezerTable(maxItems uint64) *freezerTable {
	return &freezerTable{maxItems: maxItems}
}

// Append stores the blob for item; items must arrive in order.
func (t *freezerTable) Append(item uint64, blob []byte) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.closed.Load() {
		return errClosed
	}
	if t.items.Load() != item {
		return errOutOfBounds
	}
	start := uint32(len(t.data))
	t.data = append(t.data, blob...)
	t.index = append(t.index, indexEntry{start, uint32(len(t.data))})
	t.items.Store(item + 1)
	return nil
}

// truncateTail drops the items below tail and compacts the data.
func (t *freezerTable) truncateTail(tail uint64) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.closed.Load() {
		return errClosed
	}
	offset := t.itemOffset.Load()
	if tail <= offset {
		return nil
	}
	n := tail - offset
	if n > uint64(len(t.index)) {
		return errOutOfBounds
	}
	cut := t.index[n-1].end
	index := make([]indexEntry, 0, uint64(len(t.index))-n)
	for _, e := range t.index[n:] {
		index = append(index, indexEntry{e.start - cut, e.end - cut})
	}
	t.index = index
	t.data = append([]byte(nil), t.data[cut:]...)
	t.itemOffset.Store(tail)
	return nil
}

func (t *freezerTable) getBounds(i uint64) (uint32, uint32, error) {
	if i >= uint64(len(t.index)) {
		return 0, 0, errOutOfBounds
	}
	e := t.index[i]
	return e.start, e.end, nil
}

// Retrieve returns the blob stored for item.
func (t *freezerTable) Retrieve(item uint64) ([]byte, error) {
	t.lock.RLock()
	if t.closed.Load() {
		t.lock.RUnlock()
		return nil, errClosed
	}
	if t.items.Load() <= item {
		t.lock.RUnlock()
		return nil, errOutOfBounds
	}
	offset := t.itemOffset.Load()
	if offset > item {
		t.lock.RUnlock()
		return nil, errOutOfBounds
	}
	start, end, err := t.getBounds(item - offset)
	if err != nil {
		t.lock.RUnlock()
		return nil, err
	}
	blob := make([]byte, end-start)
	copy(blob, t.data[start:end])
	t.lock.RUnlock()
	return blob, nil
}

func (t *freezerTable) has(number uint64) bool {
	return t.items.Load() > number
}

// prune keeps the table below maxItems; it runs beside the readers.
func (t *freezerTable) prune(tick <-chan struct{}) {
	for range tick {
		if n := t.items.Load(); n > t.maxItems {
			if t.truncateTail(n-t.maxItems) != nil {
				return
			}
		}
	}
}

func (t *freezerTable) Close() error {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.closed.Store(true)
	t.index, t.data = nil, nil
	return nil
}
