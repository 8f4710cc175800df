// Package wait provides utility functions for polling, listening using Go
// channel.
package wait

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

// To avoid lock contention we use an array of list struct (rw mutex & map)
// for the id argument, we apply mod operation and uses its remainder to
// index into the array and find the corresponding element.
const defaultListElementLength = 64

var errStopped = errors.New("server stopped")

type list struct {
	e []listElement
}

type listElement struct {
	l sync.RWMutex
	m map[uint64]chan any
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
// The chan will be triggered when Trigger is called with
// the same ID.
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

// IsRegistered says whether somebody waits for id.
func (w *list) IsRegistered(id uint64) bool {
	idx := id % defaultListElementLength
	w.e[idx].l.RLock()
	defer w.e[idx].l.RUnlock()
	_, ok := w.e[idx].m[id]
	return ok
}

type request struct {
	id   uint64
	data []byte
}

// server proposes requests and waits until they are applied.
type server struct {
	w      *list
	reqID  atomic.Uint64
	propc  chan request
	applyc chan request
	done   chan struct{}
}

// Do proposes data and returns the result of its application.
func (s *server) Do(ctx context.Context, data []byte) (any, error) {
	id := s.reqID.Add(1)
	ch := s.w.Register(id)
	select {
	case s.propc <- request{id: id, data: data}:
	case <-ctx.Done():
		s.w.Trigger(id, nil) // GC wait
		return nil, ctx.Err()
	}

	select {
	case x := <-ch:
		return x, nil
	case <-ctx.Done():
		s.w.Trigger(id, nil) // GC wait
		return nil, ctx.Err()
	case <-s.done:
		return nil, errStopped
	}
}

// run applies what has been committed.
func (s *server) run(apply func([]byte) any) {
	for {
		select {
		case r := <-s.applyc:
			result := apply(r.data)
			// Entries of other members are not waited for here.
			if s.w.IsRegistered(r.id) {
				s.w.Trigger(r.id, result)
			}
		case <-s.done:
			return
		}
	}
}
