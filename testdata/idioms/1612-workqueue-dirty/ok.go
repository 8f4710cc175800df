package a

import "sync"

type empty struct{}

// Typed is a work queue: an item that is added again while it is being
// processed is queued once more when the worker is done with it.
type Typed[T comparable] struct {
	queue        []T
	dirty        map[T]empty
	processing   map[T]empty
	cond         *sync.Cond
	shuttingDown bool
}

func NewTyped[T comparable]() *Typed[T] {
	return &Typed[T]{
		dirty:      map[T]empty{},
		processing: map[T]empty{},
		cond:       sync.NewCond(&sync.Mutex{}),
	}
}

// Add marks item as needing processing.
func (q *Typed[T]) Add(item T) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	if q.shuttingDown {
		return
	}
	if _, ok := q.dirty[item]; ok {
		return
	}
	q.dirty[item] = empty{}
	if _, ok := q.processing[item]; ok {
		return
	}
	q.queue = append(q.queue, item)
	q.cond.Signal()
}

func (q *Typed[T]) Len() int {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	return len(q.queue)
}

// get blocks until it can return an item to be processed.
func (q *Typed[T]) get() (item T, shutdown bool) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	for len(q.queue) == 0 && !q.shuttingDown {
		q.cond.Wait()
	}
	if len(q.queue) == 0 {
		return item, true
	}
	item = q.queue[0]
	q.queue = q.queue[1:]
	q.processing[item] = empty{}
	delete(q.dirty, item)
	return item, false
}

// done marks item as done processing, and queues it again if it was added meanwhile.
func (q *Typed[T]) done(item T) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	delete(q.processing, item)
	if _, ok := q.dirty[item]; ok {
		q.queue = append(q.queue, item)
		q.cond.Signal()
	}
}

// ShutDown lets the workers drain the queue and stop.
func (q *Typed[T]) ShutDown() {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	q.shuttingDown = true
	q.cond.Broadcast()
}

// Run processes the items until the queue is shut down.
func (q *Typed[T]) Run(f func(T)) {
	for {
		item, shutdown := q.get()
		if shutdown {
			return
		}
		f(item)
		q.done(item)
	}
}
