// Package evalbroker queues evaluations by namespace for the schedulers.
package evalbroker

import (
	"container/heap"
	"errors"
	"sync"
)

var (
	ErrClosed  = errors.New("evalbroker: closed")
	ErrInvalid = errors.New("evalbroker: invalid evaluation")
)

// Eval asks a scheduler to look at a job.
type Eval struct {
	ID        string
	Namespace string
	Priority  int
	seq       uint64
}

type evalHeap []*Eval

func (h evalHeap) Len() int { return len(h) }
func (h evalHeap) Less(i, j int) bool {
	if h[i].Priority != h[j].Priority {
		return h[i].Priority > h[j].Priority
	}
	return h[i].seq < h[j].seq
}
func (h evalHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *evalHeap) Push(x any)   { *h = append(*h, x.(*Eval)) }
func (h *evalHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

// Broker bounds the evaluations of all namespaces together. Producers wait
// when it is full.
type Broker struct {
	max int

	mu     sync.Mutex
	room   *sync.Cond
	ready  *sync.Cond
	queues map[string]*evalHeap // namespaces without evaluations have no entry
	total  int
	seq    uint64
	closed bool
}

// New returns a broker for at most max evaluations.
func New(max int) *Broker {
	b := &Broker{max: max, queues: make(map[string]*evalHeap)}
	b.room = sync.NewCond(&b.mu)
	b.ready = sync.NewCond(&b.mu)
	return b
}

// Enqueue adds an evaluation. It blocks while the broker is full.
func (b *Broker) Enqueue(e *Eval) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.admitLocked(e); err != nil {
		return err
	}
	q := b.queueLocked(e.Namespace)
	b.seq++
	e.seq = b.seq
	heap.Push(q, e)
	b.total++
	b.ready.Signal()
	return nil
}

func (b *Broker) queueLocked(ns string) *evalHeap {
	q := b.queues[ns]
	if q == nil {
		q = new(evalHeap)
		b.queues[ns] = q
	}
	return q
}

// admitLocked decides whether the evaluation may enter.
func (b *Broker) admitLocked(e *Eval) error {
	if e.ID == "" || e.Namespace == "" {
		return ErrInvalid
	}
	return b.reserveLocked()
}

func (b *Broker) reserveLocked() error {
	for b.total >= b.max && !b.closed {
		b.room.Wait()
	}
	if b.closed {
		return ErrClosed
	}
	return nil
}

// Dequeue returns the evaluation of the highest priority and waits for one.
func (b *Broker) Dequeue() (*Eval, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.closed {
			return nil, ErrClosed
		}
		if e := b.popLocked(); e != nil {
			b.room.Signal()
			return e, nil
		}
		b.ready.Wait()
	}
}

func (b *Broker) popLocked() *Eval {
	var best *evalHeap
	for ns, q := range b.queues {
		if q.Len() == 0 {
			delete(b.queues, ns)
			continue
		}
		if best == nil || (*q)[0].Priority > (*best)[0].Priority {
			best = q
		}
	}
	if best == nil {
		return nil
	}
	e := heap.Pop(best).(*Eval)
	b.total--
	return e
}

// Len returns the number of evaluations in the broker.
func (b *Broker) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total
}

// Close wakes and fails everybody who waits.
func (b *Broker) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.room.Broadcast()
	b.ready.Broadcast()
}
