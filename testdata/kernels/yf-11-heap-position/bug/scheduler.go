// Package timerq runs jobs at set times. It is used for session expiry, retries
// and periodic housekeeping.
package timerq

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// ID names a scheduled job.
type ID uint64

// job is one scheduled call. The heap keeps pos up to date.
type job struct {
	id    ID
	due   time.Time
	every time.Duration // 0 for jobs that run once
	fn    func()
	pos   int
}

// jobHeap orders jobs by due time.
type jobHeap []*job

func (h jobHeap) Len() int           { return len(h) }
func (h jobHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h jobHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i, j
}

// Push implements heap.Interface.
func (h *jobHeap) Push(x any) {
	j := x.(*job)
	j.pos = len(*h)
	*h = append(*h, j)
}

// Pop implements heap.Interface.
func (h *jobHeap) Pop() any {
	old := *h
	j := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return j
}

// Scheduler holds the jobs. All methods may be called at any time from any
// goroutine, including from running jobs.
type Scheduler struct {
	now  func() time.Time
	kick chan struct{} // the earliest due time may have changed

	mu   sync.Mutex
	heap jobHeap
	byID map[ID]*job
	last ID
}

// New returns an empty scheduler. Jobs run only while Run does.
func New() *Scheduler {
	return &Scheduler{now: time.Now, kick: make(chan struct{}, 1), byID: make(map[ID]*job)}
}

func (s *Scheduler) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

func (s *Scheduler) add(j *job) ID {
	s.mu.Lock()
	s.last++
	j.id = s.last
	s.byID[j.id] = j
	heap.Push(&s.heap, j)
	id, first := j.id, j.pos == 0
	s.mu.Unlock()
	if first {
		s.wake()
	}
	return id
}

// After runs fn once, d from now.
func (s *Scheduler) After(d time.Duration, fn func()) ID {
	return s.add(&job{due: s.now().Add(d), fn: fn})
}

// Every runs fn at intervals of d, which must be positive.
func (s *Scheduler) Every(d time.Duration, fn func()) ID {
	if d <= 0 {
		panic("timerq: interval must be positive")
	}
	return s.add(&job{due: s.now().Add(d), every: d, fn: fn})
}

// find returns the position of a job in the heap, or -1.
func (s *Scheduler) find(id ID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.byID[id]
	if !ok {
		return -1
	}
	return j.pos
}

// drop takes the job at a position out of the heap.
func (s *Scheduler) drop(pos int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pos < 0 || pos >= len(s.heap) {
		return false
	}
	j := heap.Remove(&s.heap, pos).(*job)
	delete(s.byID, j.id)
	return true
}

// Cancel removes a job. It returns false if the job has run already or has been
// cancelled before.
func (s *Scheduler) Cancel(id ID) bool {
	return s.drop(s.find(id))
}

// Postpone moves a job's next run to d from now.
func (s *Scheduler) Postpone(id ID, d time.Duration) bool {
	due := s.now().Add(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.byID[id]
	if !ok {
		return false
	}
	j.due = due
	heap.Fix(&s.heap, j.pos)
	s.wake()
	return true
}

// Len returns the number of jobs waiting.
func (s *Scheduler) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heap)
}

// due takes the jobs that have come due and returns their functions, together
// with the time until the next one.
func (s *Scheduler) due() (run []func(), wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for len(s.heap) > 0 {
		j := s.heap[0]
		if d := j.due.Sub(now); d > 0 {
			return run, d
		}
		run = append(run, j.fn)
		if j.every > 0 {
			j.due = now.Add(j.every)
			heap.Fix(&s.heap, 0)
			continue
		}
		heap.Pop(&s.heap)
		delete(s.byID, j.id)
	}
	return run, time.Hour
}

// Run starts jobs as they come due, each in a goroutine of its own, until ctx ends.
func (s *Scheduler) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.kick:
		}
		run, wait := s.due()
		for _, fn := range run {
			go fn()
		}
		timer.Reset(wait)
	}
}
