package bug

import (
	"context"
	"sync"
)

// Queue is the work queue of a controller. A key is handed to one worker at a
// time, and a key that is added while it is worked on comes round again.
type Queue[K comparable] struct {
	mu      sync.Mutex
	cond    *sync.Cond
	order   []K
	dirty   map[K]struct{}
	busy    map[K]struct{}
	closing bool
}

func NewQueue[K comparable]() *Queue[K] {
	q := &Queue[K]{
		dirty: make(map[K]struct{}),
		busy:  make(map[K]struct{}),
	}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Add marks a key as in need of work.
func (q *Queue[K]) Add(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closing {
		return
	}
	if _, ok := q.dirty[key]; ok {
		return
	}
	q.dirty[key] = struct{}{}
	if _, ok := q.busy[key]; ok {
		return
	}
	q.push(key)
}

// push appends a key. The caller holds q.mu.
func (q *Queue[K]) push(key K) {
	q.order = append(q.order, key)
	q.cond.Signal()
}

// Get blocks for the next key; ok is false once the queue is shut down and
// empty. The caller has to call Done for the key.
func (q *Queue[K]) Get() (key K, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) == 0 && !q.closing {
		q.cond.Wait()
	}
	if len(q.order) == 0 {
		return key, false
	}
	key = q.order[0]
	q.order = q.order[1:]
	q.busy[key] = struct{}{}
	delete(q.dirty, key)
	return key, true
}

// Pending tells whether a key waits to be worked on.
func (q *Queue[K]) Pending(key K) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.dirty[key]
	return ok
}

// Done ends the work on a key.
func (q *Queue[K]) Done(key K) {
	again := q.Pending(key)

	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, key)
	if again {
		q.push(key)
	}
}

// Len returns the number of keys in line.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.order)
}

// ShutDown lets the workers finish what is in line and then go.
func (q *Queue[K]) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closing = true
	q.cond.Broadcast()
}

// Process runs workers over a queue until it is shut down.
func Process[K comparable](ctx context.Context, q *Queue[K], workers int, handle func(context.Context, K) error) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				key, ok := q.Get()
				if !ok {
					return
				}
				if err := handle(ctx, key); err != nil && ctx.Err() == nil {
					q.Add(key)
				}
				q.Done(key)
			}
		})
	}
	wg.Wait()
}
