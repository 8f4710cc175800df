// Correct: the lengths of the other queues are read one by one and may be out
// of date when the thief comes; they only say where to look first. What is
// taken is decided under the victim's lock, and when nothing is found there
// all queues are tried. At no time are two queues locked.

// Package ok is a set of run queues with stealing.
package ok

import (
	"sync"
	"sync/atomic"
)

type Task func()

type runq struct {
	mu    sync.Mutex
	tasks []Task
}

func (q *runq) push(ts ...Task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks = append(q.tasks, ts...)
}

func (q *runq) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.tasks)
}

func (q *runq) pop() (Task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.tasks) == 0 {
		return nil, false
	}
	t := q.tasks[0]
	q.tasks[0] = nil
	q.tasks = q.tasks[1:]
	return t, true
}

// half takes the later half of the tasks, rounded up.
func (q *runq) half() []Task {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.tasks)
	if n == 0 {
		return nil
	}
	k := n / 2
	out := append([]Task(nil), q.tasks[k:]...)
	clear(q.tasks[k:])
	q.tasks = q.tasks[:k]
	return out
}

type Scheduler struct {
	queues []*runq
	turn   atomic.Uint32
	stolen atomic.Int64
}

func NewScheduler(n int) *Scheduler {
	s := &Scheduler{queues: make([]*runq, max(n, 1))}
	for i := range s.queues {
		s.queues[i] = new(runq)
	}
	return s
}

// Submit puts a task into the shorter of two queues.
func (s *Scheduler) Submit(t Task) {
	n := uint32(len(s.queues))
	i := s.turn.Add(1)
	a, b := s.queues[i%n], s.queues[(i*7+3)%n]
	if b.size() < a.size() {
		a = b
	}
	a.push(t)
}

// Next returns a task for worker i, its own or another's. Workers that find
// none ask again after a pause.
func (s *Scheduler) Next(i int) (Task, bool) {
	own := s.queues[i]
	if t, ok := own.pop(); ok {
		return t, true
	}
	if got := s.longest(own).half(); len(got) > 0 {
		return s.keep(own, got), true
	}
	for _, q := range s.queues {
		if got := q.half(); len(got) > 0 {
			return s.keep(own, got), true
		}
	}
	return nil, false
}

func (s *Scheduler) longest(own *runq) *runq {
	best, most := own, 0
	for _, q := range s.queues {
		if n := q.size(); q != own && n > most {
			best, most = q, n
		}
	}
	return best
}

func (s *Scheduler) keep(own *runq, got []Task) Task {
	s.stolen.Add(int64(len(got)))
	if len(got) > 1 {
		own.push(got[1:]...)
	}
	return got[0]
}

// Stolen counts the tasks that changed queues.
func (s *Scheduler) Stolen() int64 { return s.stolen.Load() }
