// Package ok has a queue between goroutines and an apply loop on top of it.
package ok

import (
	"sync"
	"sync/atomic"
)

// ipQueue is a generic intra-process queue with one consumer.
type ipQueue[T any] struct {
	inprogress atomic.Int64
	ch         chan struct{}

	mu   sync.Mutex
	elts []T
}

func newIPQueue[T any]() *ipQueue[T] { return &ipQueue[T]{ch: make(chan struct{}, 1)} }

// Add the element to the queue, notifying the queue channel's ch if the
// entry is the first to be added.
func (q *ipQueue[T]) push(e T) int {
	q.mu.Lock()
	l := len(q.elts)
	q.elts = append(q.elts, e)
	q.mu.Unlock()
	if l == 0 {
		select {
		case q.ch <- struct{}{}:
		default:
		}
	}
	return l + 1
}

// Returns the whole list of elements currently present in the queue,
// emptying the queue. The caller should never assume that pop() will
// return a slice of 1 or more, it could return nil.
func (q *ipQueue[T]) pop() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	elts := q.elts
	q.elts = nil
	q.inprogress.Add(int64(len(elts)))
	return elts
}

// recycle is called when the popped elements are processed.
func (q *ipQueue[T]) recycle(elts []T) { q.inprogress.Add(-int64(len(elts))) }

// len is the number of elements that are not popped yet.
func (q *ipQueue[T]) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.elts)
}

type entry struct {
	index uint64
	data  []byte
}

// Applier applies the committed entries in order.
type Applier struct {
	apply   *ipQueue[*entry]
	applied atomic.Uint64
	f       func([]byte)
	quit    chan struct{}
	done    chan struct{}

	mu        sync.Mutex
	committed uint64
}

// NewApplier starts the apply loop.
func NewApplier(f func([]byte)) *Applier {
	a := &Applier{
		apply: newIPQueue[*entry](),
		f:     f,
		quit:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go a.run()
	return a
}

// Commit queues an entry; it may be called from any goroutine.
func (a *Applier) Commit(data []byte) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.committed++
	a.apply.push(&entry{a.committed, data})
	return a.committed
}

// Progress returns the last applied index and how many entries wait.
func (a *Applier) Progress() (applied uint64, pending int) {
	return a.applied.Load(), a.apply.len() + int(a.apply.inprogress.Load())
}

// Stop ends the loop. It must be called once.
func (a *Applier) Stop() {
	close(a.quit)
	<-a.done
}

func (a *Applier) run() {
	defer close(a.done)
	for {
		select {
		case <-a.apply.ch:
			ces := a.apply.pop()
			for _, ce := range ces {
				a.f(ce.data)
				a.applied.Store(ce.index)
			}
			a.apply.recycle(ces)
		case <-a.quit:
			return
		}
	}
}
