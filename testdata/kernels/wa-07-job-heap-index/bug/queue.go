package queue

import (
	"container/heap"
	"sync"
)

type job struct {
	id   uint64
	prio int
	run  func()
	pos  int
}

type byPrio []*job

func (h byPrio) Len() int           { return len(h) }
func (h byPrio) Less(i, j int) bool { return h[i].prio > h[j].prio }
func (h byPrio) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i, j
}

func (h *byPrio) Push(x any) {
	j := x.(*job)
	j.pos = len(*h)
	*h = append(*h, j)
}

func (h *byPrio) Pop() any {
	old := *h
	j := old[len(old)-1]
	j.pos = -1
	*h = old[:len(old)-1]
	return j
}

// Queue runs jobs, the most urgent first.
type Queue struct {
	mu    sync.Mutex
	ready *sync.Cond
	heap  byPrio
	byID  map[uint64]*job
	last  uint64
}

// New starts a queue with the given number of workers.
func New(workers int) *Queue {
	q := &Queue{byID: make(map[uint64]*job)}
	q.ready = sync.NewCond(&q.mu)
	for range workers {
		go func() {
			for {
				q.take().run()
			}
		}()
	}
	return q
}

func (q *Queue) push(prio int, run func()) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	j := &job{id: q.last, prio: prio, run: run}
	heap.Push(&q.heap, j)
	q.ready.Signal()
	return j
}

func (q *Queue) take() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.heap) == 0 {
		q.ready.Wait()
	}
	j := heap.Pop(&q.heap).(*job)
	delete(q.byID, j.id)
	return j
}

// Submit queues run and returns a handle for Cancel.
func (q *Queue) Submit(prio int, run func()) uint64 {
	j := q.push(prio, run)
	q.mu.Lock()
	q.byID[j.id] = j
	q.mu.Unlock()
	return j.id
}

// Cancel takes a job that has not begun out of the queue.
func (q *Queue) Cancel(id uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	j, ok := q.byID[id]
	if !ok {
		return false
	}
	heap.Remove(&q.heap, j.pos)
	delete(q.byID, id)
	return true
}
