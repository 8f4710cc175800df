// Package ok lets goroutines wait for the result of a request.
package ok

import (
	"log"
	"sync"
)

const defaultListElementLength = 64

// Wait is an interface that provides the ability to wait and trigger events
// that are associated with IDs.
type Wait interface {
	Register(id uint64) <-chan any
	Trigger(id uint64, x any)
	IsRegistered(id uint64) bool
}

type listElement struct {
	l sync.RWMutex
	m map[uint64]chan any
}

type list struct {
	e []listElement
}

// New creates a Wait.
func New() Wait {
	res := list{e: make([]listElement, defaultListElementLength)}
	for i := range res.e {
		res.e[i].m = make(map[uint64]chan any)
	}
	return &res
}

// Register waits returns a chan that waits on the given ID.
func (w *list) Register(id uint64) <-chan any {
	idx := id % defaultListElementLength
	newCh := make(chan any, 1)
	w.e[idx].l.Lock()
	defer w.e[idx].l.Unlock()
	if _, ok := w.e[idx].m[id]; !ok {
		w.e[idx].m[id] = newCh
	} else {
		log.Panicf("dup id %x", id)
	}
	return newCh
}

// Trigger triggers the waiting chans with the given ID.
func (w *list) Trigger(id uint64, x any) {
	idx := id % defaultListElementLength
	w.e[idx].l.Lock()
	ch := w.e[idx].m[id]
	delete(w.e[idx].m, id)
	w.e[idx].l.Unlock()
	if ch != nil {
		ch <- x
		close(ch)
	}
}

// IsRegistered reports whether somebody waits for id.
func (w *list) IsRegistered(id uint64) bool {
	idx := id % defaultListElementLength
	w.e[idx].l.RLock()
	defer w.e[idx].l.RUnlock()
	_, ok := w.e[idx].m[id]
	return ok
}
