// Package timerq runs functions at given times from one goroutine.
package timerq

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// task is a function that waits for its time.
type task struct {
	id    string
	at    time.Time
	run   func()
	index int // place in the heap
}

// taskHeap orders tasks by time.
type taskHeap []*task

func (h taskHeap) Len() int           { return len(h) }
func (h taskHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h taskHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *taskHeap) Push(x any) {
	t := x.(*task)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *taskHeap) Pop() any {
	old := *h
	n := len(old) - 1
	t := old[n]
	old[n] = nil
	*h = old[:n]
	return t
}

// Queue is a timer queue. It is safe for concurrent use.
type Queue struct {
	mu    sync.Mutex
	tasks taskHeap
	byID  map[string]*task

	wake chan struct{}
}

// New returns an empty queue. Nothing runs before Run is called.
func New() *Queue {
	return &Queue{byID: make(map[string]*task), wake: make(chan struct{}, 1)}
}

// Schedule runs fn at the given time. A task of the same id that still waits
// is replaced.
func (q *Queue) Schedule(id string, at time.Time, fn func()) {
	q.mu.Lock()
	if t, ok := q.byID[id]; ok {
		t.at, t.run = at, fn
		heap.Fix(&q.tasks, t.index)
	} else {
		t = &task{id: id, at: at, run: fn}
		q.byID[id] = t
		heap.Push(&q.tasks, t)
	}
	q.mu.Unlock()
	q.poke()
}

// Cancel removes the task called id and reports whether it was still waiting.
func (q *Queue) Cancel(id string) bool {
	i, ok := q.position(id)
	if !ok {
		return false
	}
	return q.removeAt(i)
}

// position returns the place of a task in the heap.
func (q *Queue) position(id string) (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, ok := q.byID[id]
	if !ok {
		return 0, false
	}
	return t.index, true
}

// removeAt takes the task at place i out of the queue.
func (q *Queue) removeAt(i int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i >= len(q.tasks) {
		return false
	}
	t := heap.Remove(&q.tasks, i).(*task)
	delete(q.byID, t.id)
	return true
}

// Len returns the number of tasks that wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.tasks)
}

// poke makes Run look at the queue again.
func (q *Queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// due takes the first task out if its time has come. Otherwise it returns how
// long to wait for the first one.
func (q *Queue) due(now time.Time) (*task, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.tasks) == 0 {
		return nil, time.Hour
	}
	if wait := q.tasks[0].at.Sub(now); wait > 0 {
		return nil, wait
	}
	t := heap.Pop(&q.tasks).(*task)
	delete(q.byID, t.id)
	return t, 0
}

// Run runs the tasks until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		t, wait := q.due(time.Now())
		if t != nil {
			t.run()
			continue
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		case <-timer.C:
		}
	}
}
