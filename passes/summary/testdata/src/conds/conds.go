// Package conds waits on condition variables. A wait ends the passage. // want package:"summary"
package conds

import "sync"

type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
	n     int
}

func newQueue() *queue { // want `: result 0 fresh$`
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Pop checks in the passage in which it takes.
func (q *queue) Pop() int { // want `: region 0 p0.mu exclusive; 0 write queue.items of p0 in 0 .*from \d; .*read queue.items of p0 in 0`
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v
}

// Push takes the mutex through the condition variable.
func (q *queue) Push(v int) { // want `: region 0 p0.mu exclusive; 0 write queue.items of p0 in 0 `
	q.cond.L.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.cond.Signal()
}

func (q *queue) Count() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write queue.n of p0 in 0 .*from \d; .*read queue.n of p0 in 1`
	q.cond.L.Lock()
	n := q.n
	q.cond.Wait()
	q.n = n + 1
	q.cond.L.Unlock()
}

func (q *queue) wait() { // want `: split p0.mu exclusive`
	q.cond.Wait()
}

func (q *queue) waitForItem() { // want `: may split p0.mu exclusive`
	for len(q.items) == 0 {
		q.cond.Wait()
	}
}

func (q *queue) CountAfterItem() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; region 2 p0.mu exclusive; 0 write queue.n of p0 in 0 .*from \d; 1 read queue.items of p0 in 1 awaited awaited-more; 2 read queue.n of p0 in 2`
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.n
	q.waitForItem()
	q.wait()
	q.n = n + 1
}

// known: a wait on a parameter splits no lock of the caller
func waitOn(c *sync.Cond) { c.Wait() } // want `: split `

// known: a wait on a parameter splits no lock of the caller
func (q *queue) CountByParameter() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write queue.n of p0 in 0 .*from \d; .*read queue.n of p0 in 1`
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.n
	waitOn(q.cond)
	q.n = n + 1
}

// A condition variable of which it is not known how it was made waits with the
// one lock that is held.
type byValue struct {
	mu   sync.RWMutex
	cond sync.Cond
	n    int
}

func (v *byValue) Count() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write byValue.n of p0 in 0 .*from \d; .*read byValue.n of p0 in 1`
	v.mu.Lock()
	n := v.n
	v.cond.Wait()
	v.n = n + 1
	v.mu.Unlock()
}

var (
	mu    sync.Mutex
	cond  = sync.NewCond(&mu)
	ready int
)

// known: initializers of package variables are not seen
func WaitReady() { // want `: region 0 @conds#mu exclusive; region 1 @conds#mu exclusive; 0 write ready of @conds#ready in 0 .*from \d; .*read ready of @conds#ready in 1`
	cond.L.Lock()
	n := ready
	cond.Wait()
	ready = n + 1
	mu.Unlock()
}
