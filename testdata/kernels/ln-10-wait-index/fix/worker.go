package nomad

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"
)

const (
	raftSyncLimit    = 5 * time.Second
	stateWaitBackoff = 20 * time.Millisecond
)

// Evaluation asks for the scheduling of a job.
type Evaluation struct {
	ID          string
	JobID       string
	Count       int
	Status      string
	ModifyIndex uint64
}

type Allocation struct {
	ID    string
	JobID string
}

// entry is an entry of the replicated log. A finished evaluation and the
// allocations that were placed for it are one entry. It is not modified.
type entry struct {
	index  uint64
	eval   *Evaluation
	allocs []*Allocation
}

// StateStore is the state of one server; each server applies the log at its own
// pace.
type StateStore struct {
	l      sync.RWMutex
	index  uint64
	evals  map[string]*Evaluation
	allocs map[string][]*Allocation // by job
}

func newStateStore() *StateStore {
	return &StateStore{evals: make(map[string]*Evaluation), allocs: make(map[string][]*Allocation)}
}

func (s *StateStore) apply(e *entry) {
	s.l.Lock()
	defer s.l.Unlock()
	s.index = e.index
	s.evals[e.eval.ID] = e.eval
	s.allocs[e.eval.JobID] = append(s.allocs[e.eval.JobID], e.allocs...)
}

// LatestIndex returns the index of the last applied entry.
func (s *StateStore) LatestIndex() uint64 {
	s.l.RLock()
	defer s.l.RUnlock()
	return s.index
}

// EvalsByJob returns all the evaluations by job id
func (s *StateStore) EvalsByJob(jobID string) []*Evaluation {
	s.l.RLock()
	defer s.l.RUnlock()
	var out []*Evaluation
	for _, e := range s.evals {
		if e.JobID == jobID {
			out = append(out, e)
		}
	}
	return out
}

// AllocsByJob returns the allocations of the job.
func (s *StateStore) AllocsByJob(jobID string) []*Allocation {
	s.l.RLock()
	defer s.l.RUnlock()
	return append([]*Allocation(nil), s.allocs[jobID]...)
}

// EvalBroker hands out evaluations, one at a time for each job.
type EvalBroker struct {
	l       sync.Mutex
	ready   []*Evaluation
	blocked map[string][]*Evaluation // by job
	unack   map[string]string        // job to evaluation
}

func newEvalBroker() *EvalBroker {
	return &EvalBroker{blocked: make(map[string][]*Evaluation), unack: make(map[string]string)}
}

func (b *EvalBroker) Enqueue(e *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	if _, ok := b.unack[e.JobID]; ok {
		b.blocked[e.JobID] = append(b.blocked[e.JobID], e)
		return
	}
	b.unack[e.JobID] = e.ID
	b.ready = append(b.ready, e)
}

func (b *EvalBroker) Dequeue() *Evaluation {
	b.l.Lock()
	defer b.l.Unlock()
	if len(b.ready) == 0 {
		return nil
	}
	e := b.ready[0]
	b.ready = b.ready[1:]
	return e
}

// Ack ends the evaluation; the next one for the job becomes ready.
func (b *EvalBroker) Ack(e *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	delete(b.unack, e.JobID)
	if next := b.blocked[e.JobID]; len(next) > 0 {
		b.blocked[e.JobID] = next[1:]
		b.unack[e.JobID] = next[0].ID
		b.ready = append(b.ready, next[0])
	}
}

// Nack makes the evaluation ready again.
func (b *EvalBroker) Nack(e *Evaluation) {
	b.l.Lock()
	defer b.l.Unlock()
	b.ready = append(b.ready, e)
}

// Leader has the broker and writes the log.
type Leader struct {
	broker *EvalBroker
	state  *StateStore

	raftLock  sync.Mutex
	index     uint64
	followers []chan *entry
}

func NewLeader() *Leader {
	return &Leader{broker: newEvalBroker(), state: newStateStore()}
}

// raftApply commits the entry: it is applied here and sent to the followers.
func (l *Leader) raftApply(eval *Evaluation, allocs []*Allocation) uint64 {
	l.raftLock.Lock()
	defer l.raftLock.Unlock()
	l.index++
	stored := *eval
	stored.ModifyIndex = l.index
	e := &entry{index: l.index, eval: &stored, allocs: allocs}
	l.state.apply(e)
	for _, f := range l.followers {
		f <- e
	}
	return l.index
}

// CreateEval stores and queues an evaluation.
func (l *Leader) CreateEval(eval *Evaluation) {
	eval.ModifyIndex = l.raftApply(eval, nil)
	l.broker.Enqueue(eval)
}

// EvalDequeueResponse is the reply of Dequeue.
type EvalDequeueResponse struct {
	Eval *Evaluation

	// WaitIndex is the Raft index the worker should wait until invoking the
	// scheduler.
	WaitIndex uint64
}

// Dequeue is used to dequeue a pending evaluation
func (l *Leader) Dequeue(reply *EvalDequeueResponse) {
	eval := l.broker.Dequeue()
	if eval != nil {
		reply.Eval = eval
		// Get the index that the worker should wait until before scheduling.
		reply.WaitIndex = l.getWaitIndex(eval.JobID)
	}
}

// getWaitIndex returns the wait index that should be used by the worker before
// invoking the scheduler. The index should be the highest modify index of any
// evaluation for the job. This prevents scheduling races for the same job when
// there are blocked evaluations.
func (l *Leader) getWaitIndex(jobID string) uint64 {
	var max uint64
	for _, eval := range l.state.EvalsByJob(jobID) {
		if max < eval.ModifyIndex {
			max = eval.ModifyIndex
		}
	}
	return max
}

// Worker is a scheduling worker of a server. The workers run on all servers and
// schedule on the state of their server.
type Worker struct {
	leader *Leader
	state  *StateStore
	newID  func() string
}

// NewFollower starts a server with the given number of workers.
func NewFollower(ctx context.Context, leader *Leader, workers int, newID func() string) {
	state := newStateStore()
	ch := make(chan *entry, 1024)
	leader.raftLock.Lock()
	leader.followers = append(leader.followers, ch)
	leader.raftLock.Unlock()
	go func() {
		for e := range ch {
			state.apply(e)
		}
	}()
	for i := 0; i < workers; i++ {
		w := &Worker{leader: leader, state: state, newID: newID}
		go w.run(ctx)
	}
}

// run is the long-lived goroutine which is used to run the worker
func (w *Worker) run(ctx context.Context) {
	for ctx.Err() == nil {
		// Dequeue a pending evaluation
		var resp EvalDequeueResponse
		w.leader.Dequeue(&resp)
		eval := resp.Eval
		if eval == nil {
			time.Sleep(stateWaitBackoff)
			continue
		}

		// Wait for the raft log to catchup to the evaluation
		if err := w.waitForIndex(resp.WaitIndex, raftSyncLimit); err != nil {
			log.Printf("worker: %v", err)
			w.leader.broker.Nack(eval)
			continue
		}

		// Invoke the scheduler to determine placements
		w.invokeScheduler(eval)

		// Complete the evaluation
		w.leader.broker.Ack(eval)
	}
}

// waitForIndex ensures that the local state is at least as fresh
// as the given index.
func (w *Worker) waitForIndex(index uint64, timeout time.Duration) error {
	for start := time.Now(); w.state.LatestIndex() < index; {
		if time.Since(start) > timeout {
			return fmt.Errorf("sync wait timeout reached (index %d)", index)
		}
		time.Sleep(stateWaitBackoff)
	}
	return nil
}

// invokeScheduler places the missing allocations of the job.
func (w *Worker) invokeScheduler(eval *Evaluation) {
	existing := w.state.AllocsByJob(eval.JobID)
	var placed []*Allocation
	for i := len(existing); i < eval.Count; i++ {
		placed = append(placed, &Allocation{ID: w.newID(), JobID: eval.JobID})
	}
	done := *eval
	done.Status = "complete"
	w.leader.raftApply(&done, placed)
}
