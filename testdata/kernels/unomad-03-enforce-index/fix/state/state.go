// Package state is the replicated state of the jobs.
package state

import (
	"fmt"
	"sync"
)

// Job is one version of a job. It is not modified after it was stored.
type Job struct {
	ID          string
	Spec        string
	Version     uint64
	ModifyIndex uint64
}

// Enforce checks that j, which may be nil, has the given index.
func (j *Job) Enforce(index uint64) error {
	switch {
	case j == nil && index != 0:
		return fmt.Errorf("enforcing modify index %d: job does not exist", index)
	case j != nil && index == 0:
		return fmt.Errorf("enforcing modify index 0: job %s exists", j.ID)
	case j != nil && index != j.ModifyIndex:
		return fmt.Errorf("enforcing modify index %d: job %s has index %d", index, j.ID, j.ModifyIndex)
	}
	return nil
}

// Store holds the jobs.
type Store struct {
	mu   sync.RWMutex
	jobs map[string]*Job
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{jobs: make(map[string]*Job)} }

// JobByID returns the current version of a job, or nil.
func (s *Store) JobByID(id string) *Job {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.jobs[id]
}

// UpsertJob stores a job, if wanted only over the version with an index.
func (s *Store) UpsertJob(index uint64, id, spec string, enforce *uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	existing := s.jobs[id]
	if enforce != nil {
		if err := existing.Enforce(*enforce); err != nil {
			return err
		}
	}
	job := &Job{ID: id, Spec: spec, ModifyIndex: index}
	if existing != nil {
		job.Version = existing.Version + 1
	}
	s.jobs[id] = job
	return nil
}
