package wait

import (
	"fmt"
	"sync"
)

const defaultListElementLength = 64

type listElement struct {
	l sync.RWMutex
	m map[uint64]chan any
}

type list struct {
	e []listElement
}

// New creates a Wait.
func New() *list {
	res := list{
		e: make([]listElement, defaultListElementLength),
	}
	for i := 0; i < len(res.e); i++ {
		res.e[i].m = make(map[uint64]chan any)
	}
	return &res
}

// Register waits returns a chan that waits on the given ID.
// The chan will be triggered when Trigger is called with the same ID.
func (w *list) Register(id uint64) <-chan any {
	idx := id % defaultListElementLength
	newCh := make(chan any, 1)
	w.e[idx].l.Lock()
	defer w.e[idx].l.Unlock()
	if _, ok := w.e[idx].m[id]; !ok {
		w.e[idx].m[id] = newCh
	} else {
		panic(fmt.Sprintf("dup id %x", id))
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

// IsRegistered tells whether somebody waits for the ID.
func (w *list) IsRegistered(id uint64) bool {
	idx := id % defaultListElementLength
	w.e[idx].l.RLock()
	defer w.e[idx].l.RUnlock()
	_, ok := w.e[idx].m[id]
	return ok
}

type result struct {
	resp any
	err  error
}

type server struct {
	w        *list
	propose  func(id uint64, data []byte) error
	stopping chan struct{}
}

// process registers before it proposes.
func (s *server) process(id uint64, data []byte) (any, error) {
	ch := s.w.Register(id)
	if err := s.propose(id, data); err != nil {
		s.w.Trigger(id, nil) // GC wait
		return nil, err
	}
	select {
	case x := <-ch:
		return x, nil
	case <-s.stopping:
		s.w.Trigger(id, nil) // GC wait
		return nil, fmt.Errorf("server stopped")
	}
}

// applyEntry is called by the apply loop. Only the member that proposed the
// entry has a waiter.
func (s *server) applyEntry(id uint64, apply func(needResult bool) any) {
	needResult := s.w.IsRegistered(id)
	r := apply(needResult)
	if r == nil {
		return
	}
	s.w.Trigger(id, r)
}
