package dispatch

import (
	"sync"
	"time"
)

// State is the position of a job in its life.
type State int

const (
	Pending State = iota
	Running
	Done
	Failed
)

// Job is one unit of work.
type Job struct {
	ID       int64
	Kind     string
	Payload  []byte
	RunAt    time.Time
	State    State
	Worker   string
	Attempts int
}

// Store keeps jobs.
type Store interface {
	Insert(j Job) int64
	ClaimDue(now time.Time, worker string) (Job, bool)
	Finish(id int64, s State)
	Retry(id int64, at time.Time)
}

type memStore struct {
	mu   sync.Mutex
	seq  int64
	jobs map[int64]*Job
}

// NewMemStore returns a store that keeps jobs in memory.
func NewMemStore() Store {
	return &memStore{jobs: make(map[int64]*Job)}
}

func (s *memStore) Insert(j Job) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	j.ID = s.seq
	j.State = Pending
	s.jobs[j.ID] = &j
	return j.ID
}

func (s *memStore) ClaimDue(now time.Time, worker string) (Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *Job
	for _, j := range s.jobs {
		if j.State != Pending || j.RunAt.After(now) {
			continue
		}
		if best == nil || j.RunAt.Before(best.RunAt) {
			best = j
		}
	}
	if best == nil {
		return Job{}, false
	}
	best.State = Running
	best.Worker = worker
	return *best, true
}

func (s *memStore) Finish(id int64, st State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j, ok := s.jobs[id]; ok {
		j.State = st
		j.Worker = ""
	}
}

func (s *memStore) Retry(id int64, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j, ok := s.jobs[id]; ok {
		j.State = Pending
		j.Worker = ""
		j.RunAt = at
		j.Attempts++
	}
}
