// Package bug is a queue of keys for reconcilers: a key waits at most once
// and is worked on by at most one worker.
package bug

import "sync"

type set map[string]struct{}

func (s set) has(k string) bool { _, ok := s[k]; return ok }
func (s set) add(k string)      { s[k] = struct{}{} }
func (s set) drop(k string)     { delete(s, k) }

type Queue struct {
	mu     sync.Mutex
	wake   *sync.Cond
	order  []string
	dirty  set // to be worked on
	active set // being worked on
	closed bool
}

func New() *Queue {
	q := &Queue{dirty: make(set), active: make(set)}
	q.wake = sync.NewCond(&q.mu)
	return q
}

// Add asks for a key to be worked on. A key that is being worked on comes up
// again after that.
func (q *Queue) Add(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.dirty.has(key) {
		return
	}
	q.dirty.add(key)
	if q.active.has(key) {
		return
	}
	q.order = append(q.order, key)
	q.wake.Signal()
}

// Get blocks for a key; the worker must call Done with it.
func (q *Queue) Get() (key string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.order) == 0 && !q.closed {
		q.wake.Wait()
	}
	if len(q.order) == 0 {
		return "", false
	}
	key = q.order[0]
	q.order = q.order[1:]
	q.active.add(key)
	q.dirty.drop(key)
	return key, true
}

// Done ends the work on a key.
func (q *Queue) Done(key string) {
	again := q.wanted(key)
	q.finish(key, again)
}

func (q *Queue) wanted(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dirty.has(key)
}

func (q *Queue) finish(key string, again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.active.drop(key)
	if again {
		q.order = append(q.order, key)
		q.wake.Signal()
	}
}

// Run works on keys with fn until the queue is closed and empty.
func (q *Queue) Run(workers int, fn func(key string)) {
	var wg sync.WaitGroup
	for i := 0; i < workers; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				key, ok := q.Get()
				if !ok {
					return
				}
				fn(key)
				q.Done(key)
			}
		}()
	}
	wg.Wait()
}

// Close lets no more keys in.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}

// Len is the number of waiting keys.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.order)
}
