package watch

import (
	"context"
	"sync"
)

// Change is one value of a key with its version.
type Change struct {
	Value   string
	Version int
}

type key = string

// Hub lets clients long-poll keys for a version newer than theirs.
type Hub struct {
	vals struct {
		sync.RWMutex
		m map[key]Change
	}
	subs struct {
		sync.Mutex
		m map[key][]chan<- Change
	}
}

func NewHub() *Hub {
	h := &Hub{}
	h.vals.m = make(map[key]Change)
	h.subs.m = make(map[key][]chan<- Change)
	return h
}

func (h *Hub) Set(k key, v string) {
	h.vals.Lock()
	defer h.vals.Unlock()
	c := Change{Value: v, Version: h.vals.m[k].Version + 1}
	h.vals.m[k] = c

	h.subs.Lock()
	waiting := h.subs.m[k]
	delete(h.subs.m, k)
	h.subs.Unlock()
	for _, w := range waiting {
		w <- c
	}
}

func (h *Hub) newer(k key, than int) (c Change, ok bool) {
	h.vals.RLock()
	defer h.vals.RUnlock()
	c = h.vals.m[k]
	return c, c.Version > than
}

func (h *Hub) subscribe(k key) <-chan Change {
	ch := make(chan Change, 1)
	h.subs.Lock()
	defer h.subs.Unlock()
	h.subs.m[k] = append(h.subs.m[k], ch)
	return ch
}

// Wait returns the first change of k it can get after version seen.
func (h *Hub) Wait(ctx context.Context, k key, seen int) (Change, error) {
	changed := h.subscribe(k)
	if c, ok := h.newer(k, seen); ok {
		return c, nil
	}
	select {
	case c := <-changed:
		return c, nil
	case <-ctx.Done():
		return Change{}, ctx.Err()
	}
}
