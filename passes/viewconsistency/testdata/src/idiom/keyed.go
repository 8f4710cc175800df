package idiom

import (
	"sync"
	"sync/atomic"
)

// A ledger has weights of pages, which stay.
type ledger struct {
	mu      sync.RWMutex
	head    int
	weights map[int]int
}

func (l *ledger) Add(page, weight int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.weights[page] = weight
	l.head = page
}

func (l *ledger) last() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.head
}

func (l *ledger) weight(page int) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.weights[page]
}

// Head asks for the weight of the page that it has found.
func (l *ledger) Head() (int, int) {
	page := l.last()
	return page, l.weight(page)
}

// A keyring has keys by number, which stay, and the number of the newest.
type keyring struct {
	mu     sync.Mutex
	newest atomic.Int64
	keys   sync.Map
}

func (k *keyring) Rotate(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := k.newest.Load() + 1
	k.keys.Store(id, key)
	k.newest.Store(id)
}

// Seal uses the key of the number that it has read.
func (k *keyring) Seal() (int64, any) {
	id := k.newest.Load()
	key, _ := k.keys.Load(id)
	return id, key
}
