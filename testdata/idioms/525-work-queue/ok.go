// Package ok hands keys to workers, each key to one worker at a time.
package ok

import (
	"sync"
	"time"
)

type set map[string]struct{}

func (s set) has(k string) bool {
	_, ok := s[k]
	return ok
}

// Queue has the keys that wait.
type Queue struct {
	cond       *sync.Cond
	queue      []string
	dirty      set
	processing set
	closing    bool
	draining   bool
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	return &Queue{cond: sync.NewCond(&sync.Mutex{}), dirty: set{}, processing: set{}}
}

// Add marks a key as needing work.
func (q *Queue) Add(k string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	if q.closing || q.dirty.has(k) {
		return
	}
	q.dirty[k] = struct{}{}
	if q.processing.has(k) {
		return
	}
	q.queue = append(q.queue, k)
	q.cond.Signal()
}

// Len returns the number of keys that wait.
func (q *Queue) Len() int {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	return len(q.queue)
}

// Get blocks until there is a key; it must be given to Done afterwards.
func (q *Queue) Get() (k string, closed bool) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	for len(q.queue) == 0 && !q.closing {
		q.cond.Wait()
	}
	if len(q.queue) == 0 {
		return "", true
	}
	k = q.queue[0]
	q.queue = q.queue[1:]
	q.processing[k] = struct{}{}
	delete(q.dirty, k)
	return k, false
}

// Done ends the work on a key.
func (q *Queue) Done(k string) {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	delete(q.processing, k)
	if q.dirty.has(k) {
		q.queue = append(q.queue, k)
		q.cond.Broadcast()
	} else if len(q.processing) == 0 && q.draining {
		q.cond.Broadcast()
	}
}

// Drain closes the queue and waits until the keys in work are done.
func (q *Queue) Drain() {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	q.closing, q.draining = true, true
	q.cond.Broadcast()
	for len(q.processing) > 0 || len(q.queue) > 0 {
		q.cond.Wait()
	}
}

// Index has the wanted state of the keys.
type Index struct {
	mu sync.RWMutex
	m  map[string]int
	q  *Queue
}

// NewIndex returns an empty index with a queue.
func NewIndex() *Index { return &Index{m: make(map[string]int), q: NewQueue()} }

// Set changes the wanted state of a key.
func (x *Index) Set(k string, v int) {
	x.mu.Lock()
	x.m[k] = v
	x.mu.Unlock()
	x.q.Add(k)
}

func (x *Index) get(k string) (int, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v, ok := x.m[k]
	return v, ok
}

// Work brings keys to their wanted state until the queue is closed.
func (x *Index) Work(apply func(k string, v int) error) {
	for {
		k, closed := x.q.Get()
		if closed {
			return
		}
		if v, ok := x.get(k); ok {
			if err := apply(k, v); err != nil {
				time.AfterFunc(time.Second, func() { x.q.Add(k) })
			}
		}
		x.q.Done(k)
	}
}
