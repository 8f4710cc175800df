package wait

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
)

const (
	// To avoid lock contention we use an array of list struct (rw mutex & map)
	// for the id argument, we apply mod operation and uses its remainder to
	// index into the array and find the corresponding element.
	defaultListElementLength = 64
)

// Wait is an interface that provides the ability to wait and trigger events that
// are associated with IDs.
type Wait interface {
	// Register waits returns a chan that waits on the given ID.
	// The chan will be triggered when Trigger is called with
	// the same ID.
	Register(id uint64) <-chan any
	// Trigger triggers the waiting chans with the given ID.
	Trigger(id uint64, x any)
	IsRegistered(id uint64) bool
}

type list struct {
	e []listElement
}

type listElement struct {
	l sync.RWMutex
	m map[uint64]chan any
}

// New creates a Wait.
func New() Wait {
	res := list{
		e: make([]listElement, defaultListElementLength),
	}
	for i := 0; i < len(res.e); i++ {
		res.e[i].m = make(map[uint64]chan any)
	}
	return &res
}

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

var ErrStopped = errors.New("etcdserver: server stopped")

// Server proposes requests and waits for their results.
type Server struct {
	w       Wait
	reqID   atomic.Uint64
	propose func(ctx context.Context, id uint64, data []byte) error
	stopped chan struct{}
}

func NewServer(propose func(context.Context, uint64, []byte) error) *Server {
	return &Server{w: New(), propose: propose, stopped: make(chan struct{})}
}

// Do proposes a request and returns what the apply loop made of it.
func (s *Server) Do(ctx context.Context, data []byte) (any, error) {
	id := s.reqID.Add(1)
	ch := s.w.Register(id)
	if err := s.propose(ctx, id, data); err != nil {
		s.w.Trigger(id, nil) // GC wait
		return nil, err
	}
	select {
	case x := <-ch:
		return x, nil
	case <-ctx.Done():
		s.w.Trigger(id, nil) // GC wait
		return nil, ctx.Err()
	case <-s.stopped:
	}
	return nil, ErrStopped
}

// Applied is called by the apply loop.
func (s *Server) Applied(id uint64, result any) {
	if s.w.IsRegistered(id) {
		s.w.Trigger(id, result)
	}
}

// Stop ends the server.
func (s *Server) Stop() { close(s.stopped) }
