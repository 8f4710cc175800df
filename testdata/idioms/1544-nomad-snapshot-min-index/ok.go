package a

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// Allocation is a placement of a job on a node.
type Allocation struct {
	ID, JobID, NodeID string
	ModifyIndex       uint64
}

// StateSnapshot is a point-in-time view of the state.
type StateSnapshot struct {
	index  uint64
	allocs map[string]*Allocation
}

// AllocsByJob returns all the allocations by job id.
func (s *StateSnapshot) AllocsByJob(jobID string) []*Allocation {
	var res []*Allocation
	for _, a := range s.allocs {
		if a.JobID == jobID {
			res = append(res, a)
		}
	}
	return res
}

// StateStore is changed by the FSM only, one raft index after the other.
type StateStore struct {
	mu     sync.RWMutex
	index  uint64
	allocs map[string]*Allocation // values are never changed in place
}

func NewStateStore() *StateStore {
	return &StateStore{allocs: map[string]*Allocation{}}
}

// UpsertAllocs is called by the FSM with increasing indexes.
func (s *StateStore) UpsertAllocs(index uint64, allocs []*Allocation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range allocs {
		c := *a
		c.ModifyIndex = index
		s.allocs[c.ID] = &c
	}
	s.index = index
}

// LatestIndex returns the greatest index value for all indexes.
func (s *StateStore) LatestIndex() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index
}

// Snapshot is used to create a point in time snapshot.
func (s *StateStore) Snapshot() *StateSnapshot {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return &StateSnapshot{index: s.index, allocs: maps.Clone(s.allocs)}
}

// SnapshotMinIndex is used to create a state snapshot where the index is
// guaranteed to be greater than or equal to the index parameter.
func (s *StateStore) SnapshotMinIndex(ctx context.Context, index uint64) (*StateSnapshot, error) {
	const backoffBase = 20 * time.Millisecond
	const backoffLimit = 1 * time.Second
	deadline := backoffBase

	for {
		// Get the states current index
		snapshotIndex := s.LatestIndex()

		// We only need the FSM state to be as recent as the given index
		if snapshotIndex >= index {
			return s.Snapshot(), nil
		}

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(deadline):
			deadline = min(2*deadline, backoffLimit)
		}
	}
}

// Evaluation is a request to schedule a job.
type Evaluation struct {
	JobID       string
	ModifyIndex uint64
}

// Worker invokes the scheduler for evaluations.
type Worker struct {
	state    *StateStore
	schedule func(*StateSnapshot, *Evaluation) error
}

// Run processes the evaluations until the queue is closed.
func (w *Worker) Run(ctx context.Context, evals <-chan *Evaluation) error {
	for eval := range evals {
		wctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		snap, err := w.state.SnapshotMinIndex(wctx, eval.ModifyIndex)
		cancel()
		if err != nil {
			return fmt.Errorf("waiting for index %d: %w", eval.ModifyIndex, err)
		}
		if err := w.schedule(snap, eval); err != nil {
			return err
		}
	}
	return nil
}
