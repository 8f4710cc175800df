package a

import (
	"errors"
	"sync"
)

var ErrNoSlot = errors.New("no free slot")

type slots struct {
	mu   sync.RWMutex
	free map[string]int
}

func (s *slots) count(worker string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.free[worker]
}

func (s *slots) set(worker string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free[worker] = n
}

func (s *slots) any() (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for w, n := range s.free {
		if n > 0 {
			return w, true
		}
	}
	return "", false
}

type placements struct {
	mu sync.RWMutex
	at map[string]string // job -> worker
}

func (p *placements) get(job string) (string, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	w, ok := p.at[job]
	return w, ok
}

func (p *placements) put(job, worker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at[job] = worker
}

func (p *placements) drop(job string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.at, job)
}

// Scheduler places builds. All changes are serialised by sched; the tables
// have locks of their own for the status pages, which read single values.
type Scheduler struct {
	sched  sync.Mutex
	slots  slots
	placed placements
}

func NewScheduler(workers map[string]int) *Scheduler {
	s := &Scheduler{}
	s.slots.free = make(map[string]int, len(workers))
	for w, n := range workers {
		s.slots.free[w] = n
	}
	s.placed.at = make(map[string]string)
	return s
}

// Place finds a worker for the job, or names the one which has it.
func (s *Scheduler) Place(job string) (string, error) {
	s.sched.Lock()
	defer s.sched.Unlock()
	if w, ok := s.placed.get(job); ok {
		return w, nil
	}
	w, ok := s.slots.any()
	if !ok {
		return "", ErrNoSlot
	}
	s.slots.set(w, s.slots.count(w)-1)
	s.placed.put(job, w)
	return w, nil
}

// Finish frees the slot of the job.
func (s *Scheduler) Finish(job string) {
	s.sched.Lock()
	defer s.sched.Unlock()
	if w, ok := s.placed.get(job); ok {
		s.placed.drop(job)
		s.slots.set(w, s.slots.count(w)+1)
	}
}

// Where tells on which worker a job runs.
func (s *Scheduler) Where(job string) (string, bool) { return s.placed.get(job) }

// Free tells how many slots a worker has left.
func (s *Scheduler) Free(worker string) int { return s.slots.count(worker) }
