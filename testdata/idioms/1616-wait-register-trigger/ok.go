package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

const defaultListElementLength = 64

type listElement struct {
	l sync.RWMutex
	m map[uint64]chan any
}

// Wait provides the ability to wait and trigger events associated with IDs.
type Wait struct {
	e [defaultListElementLength]listElement
}

func NewWait() *Wait {
	w := &Wait{}
	for i := range w.e {
		w.e[i].m = make(map[uint64]chan any)
	}
	return w
}

// Register returns a chan that receives the result of the event id.
func (w *Wait) Register(id uint64) <-chan any {
	idx := id % defaultListElementLength
	newCh := make(chan any, 1)
	w.e[idx].l.Lock()
	defer w.e[idx].l.Unlock()
	if _, ok := w.e[idx].m[id]; ok {
		panic(fmt.Sprintf("dup id %x", id))
	}
	w.e[idx].m[id] = newCh
	return newCh
}

// Trigger triggers the waiting chan with the given id.
func (w *Wait) Trigger(id uint64, x any) {
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

func (w *Wait) IsRegistered(id uint64) bool {
	idx := id % defaultListElementLength
	w.e[idx].l.RLock()
	defer w.e[idx].l.RUnlock()
	_, ok := w.e[idx].m[id]
	return ok
}

var errProposalDropped = errors.New("proposal dropped")

// Proposer hands requests to the log and waits for their results.
type Proposer struct {
	w      *Wait
	nextID atomic.Uint64
	propc  chan<- uint64
}

func NewProposer(propc chan<- uint64) *Proposer { return &Proposer{w: NewWait(), propc: propc} }

func (p *Proposer) Applied(id uint64, result any) { p.w.Trigger(id, result) }

func (p *Proposer) Propose(ctx context.Context) (any, error) {
	id := p.nextID.Add(1)
	ch := p.w.Register(id)
	select {
	case p.propc <- id:
	default:
		p.w.Trigger(id, nil)
		return nil, errProposalDropped
	}
	select {
	case x := <-ch:
		return x, nil
	case <-ctx.Done():
		p.w.Trigger(id, nil)
		return nil, ctx.Err()
	}
}
