package watch

import (
	"slices"
	"sync"
)

type Func func(path string)

type watcher struct {
	prio int
	fn   Func
}

type Hub struct {
	lists map[string][]*watcher
	guard sync.RWMutex
}

func NewHub() *Hub {
	return &Hub{lists: map[string][]*watcher{}}
}

func byPrio(w *watcher, prio int) int { return w.prio - prio }

func (h *Hub) Watch(path string, prio int, fn Func) (stop func()) {
	w := &watcher{prio, fn}

	h.guard.Lock()
	have := h.lists[path]
	at, _ := slices.BinarySearchFunc(have, prio, byPrio)
	longer := slices.Insert(slices.Clone(have), at, w)
	h.lists[path] = longer
	h.guard.Unlock()

	return func() { h.unwatch(path, w) }
}

func (h *Hub) unwatch(path string, w *watcher) {
	h.guard.Lock()
	defer h.guard.Unlock()
	var left []*watcher
	for _, o := range h.lists[path] {
		if o != w {
			left = append(left, o)
		}
	}
	if len(left) == 0 {
		delete(h.lists, path)
		return
	}
	h.lists[path] = left
}

func (h *Hub) Changed(path string) int {
	h.guard.RLock()
	list := h.lists[path]
	h.guard.RUnlock()
	for _, w := range list {
		w.fn(path)
	}
	return len(list)
}
