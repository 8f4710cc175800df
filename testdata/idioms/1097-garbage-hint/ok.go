// Correct: what Put and Delete read about garbage after their own section is
// only a hint to wake the cleaner. The cleaner decides for itself, and cleans,
// in one section; a needless wake-up does nothing, and whoever added the
// garbage that tips the balance looks after adding it.
package heap

import (
	"context"
	"sync"
)

type record struct {
	key  string
	data []byte
	dead bool
}

// Heap is an unordered store that cleans up after itself.
type Heap struct {
	minDead int
	wake    chan struct{}

	mu    sync.RWMutex
	recs  []record
	where map[string]int
	dead  int
}

// New returns a heap that is cleaned from minDead dead records on.
func New(minDead int) *Heap {
	return &Heap{
		minDead: max(minDead, 1),
		wake:    make(chan struct{}, 1),
		where:   make(map[string]int),
	}
}

// bury is called with h.mu held.
func (h *Heap) bury(key string) bool {
	i, ok := h.where[key]
	if !ok {
		return false
	}
	h.recs[i] = record{key: key, dead: true}
	h.dead++
	delete(h.where, key)
	return true
}

// Put writes a record.
func (h *Heap) Put(key string, data []byte) {
	h.mu.Lock()
	h.bury(key)
	h.where[key] = len(h.recs)
	h.recs = append(h.recs, record{key: key, data: data})
	h.mu.Unlock()
	h.hint()
}

// Delete removes a record.
func (h *Heap) Delete(key string) bool {
	h.mu.Lock()
	ok := h.bury(key)
	h.mu.Unlock()
	if ok {
		h.hint()
	}
	return ok
}

// Get returns the data of a record.
func (h *Heap) Get(key string) ([]byte, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	i, ok := h.where[key]
	if !ok {
		return nil, false
	}
	return h.recs[i].data, true
}

// Garbage returns the numbers of dead and of all records.
func (h *Heap) Garbage() (dead, all int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.dead, len(h.recs)
}

func (h *Heap) tooMuch(dead, all int) bool {
	return dead >= h.minDead && dead*2 >= all
}

func (h *Heap) hint() {
	if !h.tooMuch(h.Garbage()) {
		return
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *Heap) clean() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.tooMuch(h.dead, len(h.recs)) {
		return
	}
	live := make([]record, 0, len(h.recs)-h.dead)
	for _, r := range h.recs {
		if r.dead {
			continue
		}
		h.where[r.key] = len(live)
		live = append(live, r)
	}
	h.recs = live
	h.dead = 0
}

// Run cleans until ctx ends.
func (h *Heap) Run(ctx context.Context) {
	for {
		select {
		case <-h.wake:
			h.clean()
		case <-ctx.Done():
			return
		}
	}
}
