package difflayer

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
)

type hash [32]byte

// Layer is one block worth of state changes on top of a parent. The maps are
// filled before the layer is published and never change afterwards; the lists
// are built on demand.
type Layer struct {
	root   hash
	parent *Layer
	memory atomic.Uint64
	stale  atomic.Bool

	accounts map[hash][]byte
	slots    map[hash]map[hash][]byte

	lock        sync.RWMutex
	accountList []hash
	slotLists   map[hash][]hash
}

// NewLayer takes ownership of the maps.
func NewLayer(parent *Layer, root hash, accounts map[hash][]byte, slots map[hash]map[hash][]byte) *Layer {
	l := &Layer{root: root, parent: parent, accounts: accounts, slots: slots, slotLists: make(map[hash][]hash)}
	var n uint64
	for _, blob := range accounts {
		n += uint64(len(blob) + 32)
	}
	l.memory.Store(n)
	return l
}

// Account finds an account in this layer or below.
func (l *Layer) Account(h hash) []byte {
	for cur := l; cur != nil; cur = cur.parent {
		if blob, ok := cur.accounts[h]; ok {
			return blob
		}
	}
	return nil
}

func sortedKeys[V any](m map[hash]V) []hash {
	list := make([]hash, 0, len(m))
	for h := range m {
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b hash) int { return bytes.Compare(a[:], b[:]) })
	return list
}

// AccountList returns the sorted hashes of the changed accounts. The list is
// shared and must not be modified.
func (l *Layer) AccountList() []hash {
	l.lock.RLock()
	list := l.accountList
	l.lock.RUnlock()
	if list != nil {
		return list
	}

	l.lock.Lock()
	defer l.lock.Unlock()
	if l.accountList != nil {
		return l.accountList
	}
	l.accountList = sortedKeys(l.accounts)
	l.memory.Add(uint64(len(l.accountList) * 32))
	return l.accountList
}

// SlotList returns the sorted hashes of the changed slots of an account.
func (l *Layer) SlotList(account hash) []hash {
	l.lock.RLock()
	if list, ok := l.slotLists[account]; ok {
		l.lock.RUnlock()
		return list
	}
	l.lock.RUnlock()

	l.lock.Lock()
	defer l.lock.Unlock()
	if list, ok := l.slotLists[account]; ok {
		return list
	}
	list := sortedKeys(l.slots[account])
	l.slotLists[account] = list
	l.memory.Add(uint64(len(list)*32 + 32))
	return list
}

// Memory returns the approximate size of the layer.
func (l *Layer) Memory() uint64 { return l.memory.Load() }

// Prefetch builds the lists for an iterator in the background.
func (l *Layer) Prefetch(done func()) {
	go func() {
		for _, h := range l.AccountList() {
			l.SlotList(h)
		}
		done()
	}()
}
