// Package heaps changes heaps by package container/heap.
package heaps

import (
	"container/heap"
	"sync"
)

type job struct {
	due int
	pos int
}

type jobs []*job

func (h jobs) Len() int           { return len(h) }
func (h jobs) Less(i, j int) bool { return h[i].due < h[j].due }
func (h jobs) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i, j
}

func (h *jobs) Push(x any) {
	j := x.(*job)
	j.pos = len(*h)
	*h = append(*h, j)
}

func (h *jobs) Pop() any {
	old := *h
	j := old[len(old)-1]
	*h = old[:len(old)-1]
	return j
}

// A Queue has jobs by name, and in the order of their times.
type Queue struct {
	mu     sync.Mutex
	byName map[string]*job
	order  jobs
}

func (q *Queue) Add(name string, due int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := &job{due: due}
	q.byName[name] = j
	heap.Push(&q.order, j)
}

func (q *Queue) Next() (due int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.order) > 0 {
		due = heap.Pop(&q.order).(*job).due
	}
	return due
}

func (q *Queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.order) == 0
}

func (q *Queue) pop() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	return heap.Pop(&q.order).(*job)
}

// Take pops from a heap that may be empty by then.
func (q *Queue) Take() *job {
	if q.empty() {
		return nil
	}
	return q.pop() // want `q.order was checked at line 74, but q.mu was released when empty returned and another goroutine may change it before this call of pop, which writes it`
}

// TakeInOne looks and pops in one section.
func (q *Queue) TakeInOne() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.order) == 0 {
		return nil
	}
	return heap.Pop(&q.order).(*job)
}
