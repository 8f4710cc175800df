// Package ok waits for the results of proposals.
package ok

import (
	"context"
	"log"
	"sync"
	"sync/atomic"
)

// To avoid lock contention we use an array of list struct (rw mutex & map)
// for the id argument, we apply mod operation and uses its remainder to
// index into the array and find the corresponding element.
const defaultListElementLength = 64

type list struct {
	e []listElement
}

type listElement struct {
	l sync.RWMutex
	m map[uint64]chan any
}

func newList() *list {
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

func (w *list) IsRegistered(id uint64) bool {
	idx := id % defaultListElementLength
	w.e[idx].l.RLock()
	defer w.e[idx].l.RUnlock()
	_, ok := w.e[idx].m[id]
	return ok
}

// Entry is a committed proposal.
type Entry struct {
	ID   uint64
	Data []byte
}

// Server applies what the log commits.
type Server struct {
	w       *list
	nextID  atomic.Uint64
	propose func(ctx context.Context, e Entry) error
	// apply returns a result if one is wanted, which takes longer.
	apply func(data []byte, needResult bool) any
}

// NewServer applies the entries in the background.
func NewServer(propose func(context.Context, Entry) error, apply func([]byte, bool) any, committed <-chan Entry) *Server {
	s := &Server{w: newList(), propose: propose, apply: apply}
	go func() {
		for e := range committed {
			s.applyEntryNormal(e)
		}
	}()
	return s
}

func (s *Server) applyEntryNormal(e Entry) {
	needResult := s.w.IsRegistered(e.ID)
	res := s.apply(e.Data, needResult)
	if !needResult {
		return
	}
	s.w.Trigger(e.ID, res)
}

// Do proposes the data and waits until it is applied here.
func (s *Server) Do(ctx context.Context, data []byte) (any, error) {
	id := s.nextID.Add(1)
	ch := s.w.Register(id)
	if err := s.propose(ctx, Entry{id, data}); err != nil {
		s.w.Trigger(id, nil) // GC wait
		return nil, err
	}
	select {
	case x := <-ch:
		return x, nil
	case <-ctx.Done():
		s.w.Trigger(id, nil) // GC wait
		return nil, ctx.Err()
	}
}
